# cmake -DTEXT=file -DSPIRV=folder -DOUT=file.cpp -P embed.cmake: a C++ source with the kernels' text and, for each type
# that has files <type>_<items>.spv in the folder, its SPIR-V.
file(READ "${TEXT}" text)
set(cases "")
set(arrays "")
foreach(name IN ITEMS f64_many f32_many i32_many i64_many f64_one f32_one i32_one i64_one)
  if(SPIRV AND EXISTS "${SPIRV}/${name}.spv")
    file(READ "${SPIRV}/${name}.spv" bytes HEX)
    string(REGEX REPLACE "(................................................................)" "\\1\"\n    \"" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
    string(APPEND arrays "alignas(8) constexpr char ${name}[] =\n    \"${bytes}\";\n")
    string(REGEX MATCH "^[^_]+" type "${name}")
    string(REGEX MATCH "[^_]+$" items "${name}")
    string(APPEND cases
           "    if (type == KernelType::${type} && items == KernelItems::${items})\n"
           "        return {reinterpret_cast<const unsigned char*>(${name}), sizeof ${name} - 1};\n")
  endif()
endforeach()
file(
  WRITE "${OUT}"
  "// Made from kernels/ by cmake/kernels/embed.cmake.
#include \"device/kernel_text.hpp\"

namespace zerofab {
namespace {

constexpr char text[] = R\"ZEROFAB(${text})ZEROFAB\";
${arrays}
}  // namespace

std::string_view kernel_source() noexcept { return {text, sizeof text - 1}; }

std::span<const unsigned char> kernel_spirv([[maybe_unused]] KernelType type,
                                            [[maybe_unused]] KernelItems items) noexcept {
${cases}    return {};
}

}  // namespace zerofab
")
