# cmake -DTEXT=file -DSPIRV=folder -DOUT=file.cpp -P embed.cmake: a C++ source with the kernels' text and, for each type
# that has a file <type>.spv in the folder, its SPIR-V.
file(READ "${TEXT}" text)
set(cases "")
set(arrays "")
foreach(type IN ITEMS f64 f32 i32 i64)
  if(SPIRV AND EXISTS "${SPIRV}/${type}.spv")
    file(READ "${SPIRV}/${type}.spv" bytes HEX)
    string(REGEX REPLACE "(................................................................)" "\\1\"\n    \"" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
    string(APPEND arrays "alignas(8) constexpr char ${type}[] =\n    \"${bytes}\";\n")
    string(APPEND cases
           "        case KernelType::${type}:\n"
           "            return {reinterpret_cast<const unsigned char*>(${type}), sizeof ${type} - 1};\n")
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

std::span<const unsigned char> kernel_spirv(KernelType type) noexcept {
    switch (type) {
${cases}        default:
            return {};
    }
}

}  // namespace zerofab
")
