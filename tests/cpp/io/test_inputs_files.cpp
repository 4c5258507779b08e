// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Tests of inputs files as codes have them: conditions, brackets, quotation marks, namelists, blanks of all kinds.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "zerofab/base/error.hpp"
#include "zerofab/io/parm_parse.hpp"

using namespace zerofab;

namespace {

using Words = std::vector<std::string>;

struct CleanTable {
    CleanTable() { ParmParse::finalize(); }
    ~CleanTable() { ParmParse::finalize(); }
};

Words values_of(std::string_view text, std::string_view name = "a", int dim = 0) {
    ParmParse::finalize();
    ParmParse::add_text(text, dim);
    return ParmParse().getarr<std::string>(name);
}

std::string branch(const std::string& condition, int dim) {
    return values_of(condition + "\na = yes\n#else\na = no\n#endif\n", "a", dim)[0];
}

// The message of the refusal; nothing may be read then.
std::string refusal(std::string_view text, int dim = 0) {
    ParmParse::finalize();
    try {
        ParmParse::add_text(text, dim);
    } catch (const ValueError& error) {
        CHECK(ParmParse().entries().empty());
        return error.what();
    }
    return "it was read";
}

}  // namespace

TEST_CASE("Inputs: each space reads its own branch") {
    const CleanTable clean;
    const std::string text =
        "#if (AMREX_SPACEDIM == 1)\na = 1\n#elif (AMREX_SPACEDIM == 2)\na = 2 2\n#else\na = 3 3 3\n#endif\nb = 7\n";
    CHECK(values_of(text, "a", 1) == Words{"1"});
    CHECK(values_of(text, "a", 2) == Words{"2", "2"});
    CHECK(values_of(text, "a", 3) == Words{"3", "3", "3"});
    CHECK(ParmParse().get<int>("b") == 7);
    CHECK(refusal(text).find("line 1") != std::string::npos);
}

TEST_CASE("Inputs: conditions") {
    const CleanTable clean;
    for (int dim = 1; dim <= 3; ++dim) {
        CAPTURE(dim);
        const auto same = [&](const std::string& condition, bool holds) {
            CAPTURE(condition);
            CHECK(branch(condition, dim) == (holds ? "yes" : "no"));
        };
        same("#if AMREX_SPACEDIM == 2", dim == 2);
        same("#if (AMREX_SPACEDIM==2)", dim == 2);
        same("#if(AMREX_SPACEDIM != 2)", dim != 2);
        same("  #  if BL_SPACEDIM >= 2", dim >= 2);
        same("\t#if !(AMREX_SPACEDIM == 2) // not in two", dim != 2);
        same("#if !AMREX_SPACEDIM", false);
        same("#if AMREX_SPACEDIM > 1 && AMREX_SPACEDIM < 3 # a comment", dim == 2);
        same("#if (AMREX_SPACEDIM == 1) || (AMREX_SPACEDIM == 3)", dim != 2);
        same("#if AMREX_SPACEDIM == 1 || AMREX_SPACEDIM == 2 && 0", dim == 1);
        same("#if AMREX_SPACEDIM + 1 == 4", dim == 3);
        same("#if AMREX_SPACEDIM - 1 <= 1L", dim <= 2);
        same("#if 0", false);
        same("#if 1", true);
        same("#ifdef AMREX_SPACEDIM", true);
        same("#ifndef AMREX_SPACEDIM", false);
        same("#if defined(AMREX_SPACEDIM) && !defined(AMREX_USE_FLOAT)", true);
        same("#if defined AMREX_SPACEDIM", true);
        same("#if AMREX_USE_FLOAT", false);
        // what is not known does not matter where the rest decides
        same("#if AMREX_SPACEDIM < 4 || MY_MACRO", true);
        same("#if AMREX_SPACEDIM > 3 && defined(MY_MACRO)", false);
    }
}

TEST_CASE("Inputs: what a condition cannot know is refused with the line's number") {
    const CleanTable clean;
    for (const char* condition : {"#ifdef MY_MACRO", "#ifndef MY_MACRO", "#if defined(MY_MACRO)", "#if MY_MACRO",
                                  "#if MY_MACRO > 2 || AMREX_SPACEDIM == 2", "#if defined(AMREX_USE_GPU)",
                                  "#ifdef AMREX_USE_CUDA", "#if AMREX_SPACEDIM ==", "#if AMREX_SPACEDIM(3)",
                                  "#if (AMREX_SPACEDIM == 3) \\", "#ifdef", "#ifdef A B", "#include \"more\""}) {
        CAPTURE(condition);
        const std::string why = refusal(std::string("b = 1\n") + condition + "\na = 1\n#endif\n", 3);
        CHECK_MESSAGE(why.find("line 2") != std::string::npos, why);
    }
    // in a branch that is not read nobody asks
    CHECK(values_of("#if 0\n#ifdef MY_MACRO\na = 1\n#else\na = 2\n#endif\n#else\na = 3\n#endif") == Words{"3"});
    CHECK(values_of("#if 1\na = 3\n#elif MY_MACRO\na = 2\n#endif") == Words{"3"});
}

TEST_CASE("Inputs: conditions within conditions, brackets, continued lines and files") {
    const CleanTable clean;
    const std::string nested =
        "#if AMREX_SPACEDIM > 1\n# if AMREX_SPACEDIM == 2\na = 2\n# else\na = 3\n# endif\n#else\na = 1\n#endif\n";
    for (int dim = 1; dim <= 3; ++dim) CHECK(values_of(nested, "a", dim) == Words{std::to_string(dim)});
    CHECK(values_of("a = [1,\n#if 0\n2,\n#else\n3,\n#endif\n4]\nb = 1") == Words{"1", "3", "4"});
    CHECK(values_of("a = 1 \\\n#if 0\n2 \\\n#endif\n3\nb = 1") == Words{"1", "3"});
    CHECK(values_of("#if 0\na = [1, \"\n&list\n#else\na = 2\n#endif") == Words{"2"});
    CHECK(values_of("a = \"\n#if 0\n#endif\"") == Words{"\n#if 0\n#endif"});
    CHECK(values_of("#if 0\nFILE = /nonexistent\n#endif\na = 1") == Words{"1"});
    for (const char* text : {"#if 1\na = 1", "a = 1\n#endif", "#else", "#elif 1", "#if 1\n#else\n#else\n#endif",
                             "#if 1\n#else\n#elif 1\n#endif", "#if 1\n#else whatever\n#endif"}) {
        CHECK_MESSAGE(refusal(text).find("line ") != std::string::npos, text);
    }
}

TEST_CASE("Inputs: comments that begin like conditions") {
    const CleanTable clean;
    for (const char* comment :
         {"# if you want more", "#if you want more", "# if needed", "#if needed", "# else nothing", "# if (x > 3)",
          "# include \"it\"", "#iffy", "# define the mesh", "#error bars"}) {
        CHECK_MESSAGE(values_of(std::string(comment) + "\na = 1\n") == Words{"1"}, comment);
    }
    const std::string why = refusal("# if x is large\na = 1\n#endif\n");
    CHECK_MESSAGE(why.find("line 3") != std::string::npos, why);
    CHECK_MESSAGE(why.find("line 1") != std::string::npos, why);
}

TEST_CASE("Inputs: brackets and braces") {
    const CleanTable clean;
    CHECK(values_of("a = [\"a\", \"b c\"]") == Words{"a", "b c"});
    CHECK(values_of("a = [\"]\", \"#\", \"x, y\" , \"\"]") == Words{"]", "#", "x, y", ""});
    CHECK(values_of("a = [1, # one ] [\n 2 # two\n]\nb = 5") == Words{"1", "2"});
    CHECK(values_of("a = [(1, 2), (3,\n4)]") == Words{"(1,2)", "(3,4)"});
    CHECK(values_of("a = [max(1, 2), 1 + 2, 3 -4,]") == Words{"max(1,2)", "1 + 2", "3", "-4"});
    CHECK(values_of("a = [1, \\\n 2] 3 [4]") == Words{"1", "2", "3", "4"});
    CHECK(values_of("a = [\"\"\"x\n\"y\" \"\"\", z]") == Words{"x\n\"y\" ", "z"});
    CHECK(values_of("a = [{1, 2}, {3}]") == Words{"{1,2}", "{3}"});
    CHECK(values_of("a = [[1, 2], [3]]") == Words{"[[1,2],[3]]"});
    CHECK(values_of("a = {{1, 2},# x }\n {3, 4}} 5\nb = 1") == Words{"{{1,2},{3,4}}", "5"});
    CHECK(values_of("a = { 1  2\n3 }\nb = 2") == Words{"{1 2 3}"});
    CHECK(values_of("a = {\"x  y\", # c }\n \"}\"}\nb = 2") == Words{"{\"x  y\",\"}\"}"});
    CHECK(values_of("a = (1, 2 # c )\n, 3)") == Words{"(1, 2 \n, 3)"});
    for (const char* text : {"a = [1,,2]", "a = [, 1]", "a = [1, 2)", "a = ((1, 2) [3)", "a = {1, 2", "a = [\"1]",
                             "a = [1#2]", "[1] = 2"}) {
        CHECK_MESSAGE(refusal(text).find("line 1") != std::string::npos, text);
    }
}

TEST_CASE("Inputs: quotation marks, doubled equals signs and quoted names") {
    const CleanTable clean;
    CHECK(values_of("a = \"\"\"x + y\"\"\"") == Words{"x + y"});
    CHECK(values_of("a = \"\"\"x\n = \"y\" # z\"\"\" 3\nb = 1") == Words{"x\n = \"y\" # z", "3"});
    CHECK(values_of("a = \"\"\"\"\"\" \"\" 1") == Words{"", "", "1"});
    CHECK(refusal("\na = \"\"\"x\"\nb = 1").find("line 2") != std::string::npos);
    CHECK(values_of("a= = 10.0") == Words{"10.0"});
    CHECK(values_of("a == 10 b == 3") == Words{"10"});
    CHECK(refusal("a = b = 3").find("line 1") != std::string::npos);
    CHECK(values_of("\"f(x,y)\" = 3.5", "f(x,y)") == Words{"3.5"});
    CHECK(values_of("b = 1 \"two words\" = 3", "two words") == Words{"3"});
}

TEST_CASE("Inputs: Fortran namelists are passed over") {
    const CleanTable clean;
    CHECK(values_of("a = 1\n&probin\n  x = 1.d0 ! it's a / comment\n  s = 'a/b', \"/\"\n/\nb = 2\n", "b") ==
          Words{"2"});
    CHECK(ParmParse().entries().size() == 2);
    CHECK(values_of(" &P x = 1 / y = 2\na = 1") == Words{"1"});
    CHECK(values_of("&p\nx = \"\n&END\na = 1") == Words{"1"});
    CHECK(values_of("&p /\n&q /\na = 1 &r") == Words{"1", "&r"});
    CHECK(refusal("a = 1\n&p\nx = 1\n").find("line 2") != std::string::npos);
    for (const char* text : {"&p\nx = 1", "$p\nx = 1\n$end", "&end"}) {
        CHECK_MESSAGE(refusal(text).find("namelist") != std::string::npos, text);
    }
}

TEST_CASE("Inputs: an expression with blanks is one number, or refused") {
    const CleanTable clean;
    const auto real = [](std::string_view text) {
        values_of(text);
        CHECK(ParmParse().getarr<Real>("a") == std::vector<Real>{ParmParse().get<Real>("a")});
        return ParmParse().get<Real>("a");
    };
    CHECK(real("a = 0.1 / (3.0*2.0)") == 0.1 / (3.0 * 2.0));
    CHECK(real("a = 2 * 3") == 6);
    CHECK(real("a = 2 *3") == 6);
    CHECK(real("a = 2* 3") == 6);
    CHECK(real("a = 2 - 3") == -1);
    CHECK(real("a = - 3") == -3);
    CHECK(real("a = 2 + -3") == -1);
    CHECK(real("a = 2 ** 3 ^ 2") == 512);
    CHECK(real("a = (1 + 2) * 3") == 9);
    CHECK(real("a = (1+2)*(3 + 4)") == 21);
    CHECK(real("a = max(1, 2, 3) + 1") == 4);
    CHECK(real("a = 1 < 2 and 2 != 3") == 1);
    CHECK(real("b = 1 / 4\na = 2 * b") == 0.5);
    CHECK(ParmParse().getarr<std::string>("a") == Words{"2", "*", "b"});
    CHECK(ParmParse().countval("a") == 3);
    CHECK_THROWS_AS(ParmParse().get<Real>("a", 1), IndexError);
    CHECK_THROWS_AS(ParmParse().getarr<Real>("a", 1, 1), IndexError);
    values_of("a = 7 // 2 b = 2 - 2");
    CHECK(ParmParse().get<int>("a") == 3);
    CHECK_FALSE(ParmParse().get<bool>("b"));
    CHECK_THROWS_AS(ParmParse().get<Real>("a"), ValueError);  // a comment or a division?
    CHECK_THROWS_AS(ParmParse().get<bool>("a"), ValueError);

    values_of("a = 2 -3 +4");  // numbers of their own
    CHECK(ParmParse().getarr<int>("a") == std::vector<int>{2, -3, 4});

    values_of("a = 5 1 + 2 6");
    CHECK(ParmParse().get<int>("a", 0) == 5);
    CHECK(ParmParse().get<int>("a", 4) == 6);
    CHECK(ParmParse().getarr<int>("a", 0, 1) == std::vector<int>{5});
    CHECK(ParmParse().get<std::string>("a", 2) == "+");
    for (int n = 1; n <= 3; ++n) CHECK_THROWS_AS(ParmParse().get<int>("a", n), ValueError);
    CHECK_THROWS_AS(ParmParse().getarr<int>("a"), ValueError);
    CHECK_THROWS_AS(ParmParse().getarr<int>("a", 3), ValueError);
    CHECK_THROWS_AS(ParmParse().getarr<int>("a", 0, 2), ValueError);
    for (const char* text : {"a = 1 // a comment", "a = 10 % 3", "a = 1 &b", "a = 1 |b", "a = 1 = "}) {
        ParmParse::finalize();
        CHECK_THROWS_AS((ParmParse::add_text(text), ParmParse().get<int>("a")), ValueError);
    }
    ParmParse().addarr("a", Words{"1", "+", "2"});  // also what code has set
    CHECK(ParmParse().get<int>("a") == 3);
}

TEST_CASE("Inputs: blanks of all kinds, line ends, and what is no text") {
    const CleanTable clean;
    CHECK(values_of("\xEF\xBB\xBF"
                    "a = 3\n") == Words{"3"});
    CHECK(values_of("\xEF\xBB\xBF#if 1\na = 3\n#endif") == Words{"3"});
    CHECK(values_of("\xC2\xA0#\xC2\xA0if\xC2\xA0"
                    "0\na = 2\n\xC2\xA0#else\na = 3\n#endif") == Words{"3"});
    for (const char* blank : {"\xC2\xA0", "\xE2\x80\x83", "\xE2\x80\x8B", "\xE2\x80\xAF", "\xE3\x80\x80", "\xA0"}) {
        const std::string text = std::string("a") + blank + "=" + blank + "1" + blank + "2" + blank + "\n";
        CAPTURE(text);
        CHECK(values_of(text) == Words{"1", "2"});
        CHECK(values_of(std::string("a = \"x") + blank + "y\"") == Words{std::string("x") + blank + "y"});
    }
    CHECK(values_of("a = \xC3\xA0 \xE2\x80\x9Cx") == Words{"\xC3\xA0", "\xE2\x80\x9Cx"});  // letters, not blanks
    CHECK(refusal(std::string("b = 1\na = \0", 12)).find("line 2") != std::string::npos);
    CHECK(refusal(std::string("\xFF\xFE"
                              "a\0=\0",
                              6))
              .find("UTF-16") != std::string::npos);

    const auto path = std::filesystem::temp_directory_path() / "zerofab_inputs_crlf";
    std::ofstream(path, std::ios::binary) << "#if 1\r\na = 1 \\\r\n 2\r\n#endif\r\nb = \"x\r\ny\"\r\n";
    ParmParse::finalize();
    ParmParse::add_file(path.string());
    CHECK(ParmParse().getarr<int>("a") == std::vector<int>{1, 2});
    CHECK(ParmParse().get<std::string>("b") == "x\ny");
    std::filesystem::remove(path);
}

TEST_CASE("Inputs: pipes, devices, folders and huge files are refused") {
    const CleanTable clean;
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "zerofab_inputs_odd";
    std::filesystem::create_directory(folder);
    const std::string pipe = folder / "pipe";
    const std::string huge = folder / "huge";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::ofstream(huge) << "a = 1\n";
    std::filesystem::resize_file(huge, std::uintmax_t{1} << 40);  // a hole
    for (const std::string& path : {pipe, huge, folder.string(), std::string("/dev/zero"), std::string("/dev/tty")}) {
        CAPTURE(path);
        CHECK_THROWS_WITH_AS(ParmParse::add_file(path), doctest::Contains(path.c_str()), IoError);
        CHECK_THROWS_AS(ParmParse::initialize({path}), IoError);
        CHECK_THROWS_AS(ParmParse::add_text("a = 1\nFILE = " + path), IoError);
        CHECK(ParmParse().entries().empty());
    }
    std::filesystem::remove_all(folder);
}

// What costs more than its length would hang here.
TEST_CASE("Inputs: large texts") {
    const CleanTable clean;
    std::string sum = "1";
    for (int n = 0; n < 200000; ++n) sum += " + 1";
    CHECK(values_of("a = [" + sum + ", 2]") == Words{sum, "2"});
    values_of("a = " + sum);
    CHECK_THROWS_AS(ParmParse().get<int>("a"), ValueError);  // it takes too long
    values_of("a = 5 6 " + sum);
    CHECK(ParmParse().get<int>("a") == 5);
    CHECK_THROWS_AS(ParmParse().getarr<int>("a"), ValueError);
    CHECK(values_of("a = " + std::string(1000000, '(') + std::string(1000000, ')'))[0].size() == 2000000);
    CHECK(refusal("#if " + std::string(1000000, '(') + "AMREX_SPACEDIM", 3).find("line 1") != std::string::npos);
    CHECK(refusal("#if " + std::string(1000000, '!') + "AMREX_SPACEDIM\n#endif", 3).find("line 1") !=
          std::string::npos);
}
