# What nanobind.stubgen cannot see: raw CPython methods, special methods, and lazy attributes.

# Entries of their own that only make calls fast.
(Array4|PODVector)_\w+\.(__dlpack__|to_numpy|to_xp)$:

space[123]d\.(BaseFab_\w+|FArrayBox|IArrayBox)\.(__dlpack__|to_numpy|to_xp)$:

space[123]d\.(|i|f)MultiFab\.(array|const_array)$:

# Special methods that only say what to do instead: to a type checker a whole field or tile is no array.
(FabArrayBase|StructOfArrays|ParticleTile|ParIter|ParticleContainer)(|[123]D)\.(__array__|__dlpack__|__dlpack_device__)$:

amrex\._core\.Exporter\.__dlpack__$:
    \from typing_extensions import CapsuleType
    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType:
        \doc

amrex\._core\.Exporter\.__dlpack_device__$:
    def __dlpack_device__(self) -> tuple[int, int]:
        \doc

amrex\._core\.Exporter\.to_numpy$:
    \from numpy.typing import NDArray
    \from typing import Any
    \from typing import Literal
    def to_numpy(self, copy: bool = False, order: Literal["F", "C"] = "F") -> NDArray[Any]:
        \doc

amrex\._core\.Exporter\.to_xp$:
    def to_xp(self, copy: bool = False, order: Literal["F", "C"] = "F") -> Any:
        \doc

amrex\._core\.Exporter\.to_cupy$:
    def to_cupy(self, copy: bool = False, order: Literal["F", "C"] = "F") -> Any:
        \doc

amrex\._core\.Exporter\.to_dpnp$:
    def to_dpnp(self, copy: bool = False, order: Literal["F", "C"] = "F") -> Any:
        \doc

amrex\._core\.Exporter\.to_dpctl$:
    def to_dpctl(self, copy: bool = False, order: Literal["F", "C"] = "F") -> Any:
        \doc

amrex\._core\.Exporter\.__array__$:
    \from numpy.typing import DTypeLike
    def __array__(self, dtype: DTypeLike | None = None, *, copy: bool | None = None) -> NDArray[Any]:
        \doc

amrex\._core\.Exporter\.__array_interface__$:
    @property
    def __array_interface__(self) -> dict[str, Any]:
        \doc

amrex\._core\.Exporter\.__cuda_array_interface__$:
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        \doc

amrex\._core\.Exporter\.__dlpack_c_exchange_api__$:
    __dlpack_c_exchange_api__: CapsuleType

amrex\._core\.Array4\.__getitem__$:
    def __getitem__(self, key: int | tuple[int, ...], /) -> Any:
        \doc

amrex\._core\.Array4\.__setitem__$:
    def __setitem__(self, key: int | tuple[int, ...], value: Any, /) -> None:
        \doc

amrex\.space[123]d\.FabArray_\w+\.__getitem__$:
    \from types import EllipsisType
    \from typing import SupportsIndex
    def __getitem__(self, key: SupportsIndex | complex | slice | EllipsisType | tuple[Any, ...], /) -> Any:
        \doc

amrex\.space[123]d\.FabArray_\w+\.__setitem__$:
    \from numpy.typing import ArrayLike
    def __setitem__(self, key: SupportsIndex | complex | slice | EllipsisType | tuple[Any, ...], value: ArrayLike, /) -> None:
        \doc

amrex\._core\.PODVector_real\.__getitem__$:
    \from collections.abc import Iterator
    def __getitem__(self, key: int, /) -> float:
        \doc
    def __iter__(self) -> Iterator[float]: ...

amrex\._core\.PODVector_real\.__setitem__$:
    def __setitem__(self, key: int, value: float, /) -> None:
        \doc

amrex\._core\.PODVector_(int|uint64)\.__getitem__$:
    \from collections.abc import Iterator
    def __getitem__(self, key: int, /) -> int:
        \doc
    def __iter__(self) -> Iterator[int]: ...

amrex\._core\.PODVector_(int|uint64)\.__setitem__$:
    def __setitem__(self, key: int, value: int, /) -> None:
        \doc

amrex\._core\.NumberVector\.__getitem__$:
    \from typing import overload
    \from typing import Self
    @overload
    def __getitem__(self, key: int, /) -> Element:
        \doc
    @overload
    def __getitem__(self, key: slice, /) -> Self: ...

amrex\._core\.NumberVector\.__setitem__$:
    \from collections.abc import Iterable
    @overload
    def __setitem__(self, key: int, value: Element, /) -> None:
        \doc
    @overload
    def __setitem__(self, key: slice, value: Iterable[Element], /) -> None: ...

amrex\._core\.NumberVector\.__contains__$:
    \from collections.abc import Iterator
    def __contains__(self, key: object, /) -> bool:
        \doc
    def __iter__(self) -> Iterator[Element]: ...

amrex\._core\.NumberVector\.__iadd__$:
    \from collections.abc import Iterable
    \from typing import Self
    def __iadd__(self, items: Iterable[Element], /) -> Self:
        \doc

amrex\._core\.SmallMatrix\.__getitem__$:
    def __getitem__(self, key: int | tuple[int, int], /) -> float:
        \doc

amrex\._core\.SmallMatrix\.__setitem__$:
    def __setitem__(self, key: int | tuple[int, int], value: float, /) -> None:
        \doc

\.__len__$:
    def __len__(self) -> int:
        \doc

__delitem__$:

\.__reduce__$:
    \from typing import Any
    def __reduce__(self) -> tuple[Any, ...]:
        \doc

amrex\._core\.Exporter\.__suffix__$:
    def __buffer__(self, flags: int, /) -> memoryview: ...

amrex\._core\.__suffix__$:
    __version__: str
    def _run_device() -> str: ...
    def _build_info() -> list[str]: ...
    def _device_report() -> list[str]: ...
    def _array_library(device: str) -> tuple[str, str] | None: ...
    def _device_type(type: int, library: str) -> int | None: ...
    def _device_number(library: str) -> int | None: ...

amrex\.space[123]d\.(FabArrayBase|MFIter|MFLoop)\.__iter__$:
    def __iter__(self) -> MFLoop:
        \doc

amrex\.space[123]d\.MFLoop\.__next__$:
    def __next__(self) -> MFIter:
        \doc

amrex\.space[123]d\.(__getattr__|__dir__)$:

amrex\.space[123]d\.__suffix__$:
    \from types import ModuleType
    xp: ModuleType

amrex\.space[123]d\.ParticleContainer\.__suffix__$:
    \from typing import ClassVar
    is_soa_particle: ClassVar[bool]
    num_struct_real: ClassVar[int]
    num_struct_int: ClassVar[int]
    num_array_real: ClassVar[int]
    num_array_int: ClassVar[int]
    Iterator: ClassVar[type[ParIter]]
    ConstIterator: ClassVar[type[ParIter]]

amrex\.space[123]d\.ParIter\.__suffix__$:
    is_soa_particle: ClassVar[bool]

amrex\._core\.Particle\.__suffix__$:
    \from typing import ClassVar
    NReal: ClassVar[int]
    NInt: ClassVar[int]

amrex\._core\.ParticleTile\.__suffix__$:
    NAR: ClassVar[int]
    NAI: ClassVar[int]

amrex\._core\.ParticleInitType\.__suffix__$:
    is_soa_particle: ClassVar[bool]

amrex\.space[123]d\.ParIter\.__iter__$:
    \from collections.abc import Iterator
    \from typing import Self
    def __iter__(self) -> Iterator[Self]:  # type: ignore[override]
        \doc

amrex\._core\._spaces$:
    \from types import ModuleType
    _spaces: dict[int, ModuleType]
