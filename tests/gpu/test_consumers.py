# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""CuPy, torch and numba on memory of an NVIDIA GPU. Run by tests/gpu/run.sh; CI has no GPU and does not run this."""

import gc

import pytest

np = pytest.importorskip("numpy")
cp = pytest.importorskip("cupy")
torch = pytest.importorskip("torch")
cuda = pytest.importorskip("numba.cuda")

pytestmark = pytest.mark.filterwarnings("default")  # the other libraries' own warnings are not ours


@pytest.fixture
def amr():
    import amrex.space3d as amr

    amr.initialize(["amrex.verbose=0"], device="cuda")
    yield amr
    gc.collect()
    amr.finalize()


@pytest.fixture
def mfab(amr):
    box = amr.Box(amr.IntVect(0), amr.IntVect(63))
    boxes = amr.BoxArray(box)
    boxes.max_size(32)
    made = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 2, 1)
    made.set_val(1.0)
    return made


def pointer(array):
    return array.__cuda_array_interface__["data"][0]


def test_backend(amr):
    assert amr.Config.gpu_backend == "CUDA"
    assert amr.xp is cp


def test_to_cupy_is_zero_copy_and_written_through(amr, mfab):
    for mfi in mfab:
        array = mfab.array(mfi)
        view = array.to_cupy()
        assert isinstance(view, cp.ndarray)
        assert view.data.ptr == pointer(array)
        view[()] = 3.0
    assert mfab.sum(0) == pytest.approx(3.0 * 64**3)


def test_to_cupy_copy_is_isolated(mfab):
    for mfi in mfab:
        copy = mfab.array(mfi).to_cupy(copy=True)
        copy[()] = 7.0
    assert mfab.max(0) == 1.0


def test_two_loops_of_the_seed(mfab):
    for mfi in mfab:
        cp.from_dlpack(mfab.array(mfi))[0, 1, 3, 2] = 5.0
    for mfi in mfab:
        assert float(cp.from_dlpack(mfab.array(mfi))[0, 1, 3, 2]) == 5.0


def test_host_access_is_refused_by_name(mfab):
    for mfi in mfab:
        array = mfab.array(mfi)
        with pytest.raises(BufferError, match="to_xp"):
            array.to_numpy()
        assert isinstance(array.to_numpy(copy=True), np.ndarray)


def test_torch_is_zero_copy(mfab):
    for mfi in mfab:
        array = mfab.array(mfi)
        for tensor in (torch.from_dlpack(array), torch.as_tensor(array, device="cuda")):
            assert tensor.is_cuda
            assert tensor.data_ptr() == pointer(array)
            tensor += 1.0
    assert mfab.max(0) == 3.0


def test_numba_is_zero_copy(mfab):
    for mfi in mfab:
        array = mfab.array(mfi)
        seen = cuda.as_cuda_array(array)
        assert seen.__cuda_array_interface__["data"][0] == pointer(array)
        seen[...] = 4.0
        cuda.synchronize()
    assert mfab.min(0) == 4.0


@pytest.mark.parametrize("stream", [None, 1, 2, -1])
def test_stream_values(mfab, stream):
    for mfi in mfab:
        assert "dltensor" in repr(mfab.array(mfi).__dlpack__(stream=stream))


def test_stream_zero_is_refused(mfab):
    for mfi in mfab:
        with pytest.raises(ValueError, match="stream"):
            mfab.array(mfi).__dlpack__(stream=0)


def test_our_work_comes_before_a_consumer_on_a_stream_of_its_own(amr, mfab):
    stream = cp.cuda.Stream(non_blocking=True)
    for value in range(100):
        mfab.set_val(float(value))
        with stream:
            total = sum(float(cp.from_dlpack(mfab.array(mfi)).min()) for mfi in mfab)
        assert total == value * 8


def test_work_of_a_consumer_comes_before_ours(amr, mfab):
    for _ in range(100):
        mfab.set_val(0.0)
        for mfi in mfab:
            view = mfab.array(mfi).to_xp()
            amr.xp.cos(view, out=view)
        assert mfab.sum(0) == pytest.approx(64**3)


def test_use_stream_orders_a_stream_that_does_not_block(amr, mfab):
    stream = cp.cuda.Stream(non_blocking=True)
    amr.use_stream(stream)
    with stream:
        for mfi in mfab:
            mfab.array(mfi).to_xp()[()] = 2.0
    assert mfab.sum(0) == pytest.approx(2.0 * 64**3)
    amr.use_stream(None)


def test_export_inside_a_graph_capture(mfab):
    stream = cp.cuda.Stream(non_blocking=True)
    views = [mfab.array(mfi) for mfi in mfab]
    with stream:
        stream.begin_capture()
        capsules = [view.__dlpack__(stream=-1) for view in views]
        graph = stream.end_capture()
    assert len(capsules) == 8
    del graph, capsules


def test_the_current_device_is_left_alone(amr, mfab):
    before = cp.cuda.runtime.getDevice()
    mfab.set_val(2.0)
    assert mfab.sum(0) > 0
    assert cp.cuda.runtime.getDevice() == before


def test_out_of_memory_is_a_memory_error(amr):
    with pytest.raises(MemoryError, match="cuda"):
        amr.PODVector_real_arena(1 << 44)
