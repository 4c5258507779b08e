# The names of the kernels for one element type, by the preprocessor: cmake -D CXX=... -D TYPE=F64 -D IN=... -D OUT=... -P
execute_process(COMMAND "${CXX}" -E -P -x c++ "-DK_${TYPE}" "${IN}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "static void [a-z_0-9]+\\(" found "${text}")
list(TRANSFORM found REPLACE "static void ([a-z_0-9]+)\\(" "entry<\\1>(\"\\1\"),\n")
list(JOIN found "" lines)
file(WRITE "${OUT}" "${lines}")
