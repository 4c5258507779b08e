// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Tests of ParmParse: syntax, numbers, the table, bad and hostile input.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "zerofab/base/error.hpp"
#include "zerofab/io/parm_parse.hpp"

using namespace zerofab;

namespace {

// An empty table before and after each test.
struct CleanTable {
    CleanTable() { ParmParse::finalize(); }
    ~CleanTable() { ParmParse::finalize(); }
};

std::vector<std::string> values_of(std::string_view text, std::string_view name) {
    ParmParse::finalize();
    ParmParse::add_text(text);
    return ParmParse().getarr<std::string>(name);
}

using Words = std::vector<std::string>;

std::string scratch_file(const std::string& name, std::string_view text) {
    const auto path = std::filesystem::temp_directory_path() / ("zerofab_parm_" + name);
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
}

}  // namespace

TEST_CASE("ParmParse reads the syntax of inputs files") {
    const CleanTable clean;
    CHECK(values_of("a = 1 2 3 # comment", "a") == Words{"1", "2", "3"});
    CHECK(values_of("# only\na=1#2\r\n", "a") == Words{"1#2"});
    CHECK(values_of("a = \"two words\" 'x y'", "a") == Words{"two words", "'x", "y'"});
    CHECK(values_of("a = \"x\ny\" z\nb = 1", "a") == Words{"x\ny", "z"});
    CHECK(values_of("a = 1 \\\n 2 \\  \n 3\nb = 4", "a") == Words{"1", "2", "3"});
    CHECK(values_of("a = (1, 2,\n 3) 4", "a") == Words{"(1, 2,\n 3)", "4"});
    CHECK(values_of("a = ((0,0,0) (1,1,1) (0,0,0))", "a") == Words{"((0,0,0) (1,1,1) (0,0,0))"});
    CHECK(values_of("a = [1, 2 3]", "a") == Words{"1", "2", "3"});
    CHECK(values_of("a = [[1,2] [3]]", "a") == Words{"[[1,2] [3]]"});
    CHECK(values_of("a=1 b=2\na=3", "a") == Words{"3"});
    CHECK(values_of("a = 1,2", "a") == Words{"1,2"});
    CHECK(values_of("a = \"\"", "a") == Words{""});
    CHECK(values_of("a.b.c = 1", "a.b.c") == Words{"1"});
}

TEST_CASE("ParmParse refuses text that is no inputs file and keeps the table") {
    const CleanTable clean;
    ParmParse().add("keep", 7);
    for (const char* text : {"a", "a =", "= 3", "a = = = 3", "a = 1 = 2", "a = \"open", "a = (1", "a = [1", "a = 1\n 2",
                             "a b = 1", "\"\" = 1", "a\n= 1", "ok = 1\nbad", "a = #1"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(ParmParse::add_text(text), ValueError);
        CHECK(ParmParse().entries().size() == 1);
        CHECK(ParmParse().get<int>("keep") == 7);
    }
    CHECK_THROWS_WITH_AS(ParmParse::add_text("a=1\nb=\"x"), doctest::Contains("line 2"), ValueError);
}

TEST_CASE("ParmParse numbers are expressions") {
    const CleanTable clean;
    const ParmParse pp;
    const auto real = [&](const char* text) { return ParmParse().add("e", text), pp.get<Real>("e"); };
    const auto integer = [&](const char* text) { return ParmParse().add("e", text), pp.get<Long>("e"); };
    const auto boolean = [&](const char* text) { return ParmParse().add("e", text), pp.get<bool>("e"); };
    CHECK(real("1.e-5") == 1.e-5);
    CHECK(real("-.5") == -0.5);
    CHECK(real("2*pi") == 2 * std::numbers::pi);
    CHECK(real("-2^2") == -4);
    CHECK(real("2^3^2") == 512);
    CHECK(real("2**-1") == 0.5);
    CHECK(real("3/2") == 1.5);
    CHECK(real("7-2-1") == 4);
    CHECK(real("--3") == 3);
    CHECK(real("(1+2)*3") == 9);
    CHECK(real("sqrt(4) + max(1,2,3)") == 5);
    CHECK(real("if(1 > 0 and 2 == 3, 1, 2)") == 2);
    CHECK(real("a=3; b = a+1; a*b") == 12);
    CHECK(real("5;") == 5);
    CHECK(real("heaviside(0,0.25)") == 0.25);
    CHECK(real("7//2") == 7);  // a comment
    CHECK(real("7 // two\n + 1 // three") == 8);
    CHECK(real("x = 3 // three\n; x*2") == 6);
    CHECK(boolean("7//2"));
    CHECK(std::isinf(real("inf")));
    CHECK(std::isnan(real("nan")));
    CHECK(integer("3/2") == 1);
    CHECK(integer("7/2*2") == 6);
    CHECK(integer("1e3") == 1000);
    CHECK(integer("1.0") == 1);
    CHECK(integer("true") == 1);
    CHECK(integer("2**40") == Long{1} << 40);
    CHECK(integer("7//2") == 3);
    CHECK(integer("-7//2") == -4);
    CHECK(integer("7//-2") == -4);
    CHECK(integer("-8//-2") == 4);
    CHECK(integer("0-7//2*2") == -6);
    CHECK(integer("-9223372036854775807//2") == -4611686018427387904);
    CHECK(integer("9223372036854775807") == std::numeric_limits<Long>::max());
    CHECK(boolean("True"));
    CHECK(boolean(" true "));
    CHECK(boolean("T"));
    CHECK(boolean("2"));
    CHECK_FALSE(boolean("fAlse"));
    CHECK_FALSE(boolean("0.0"));
    ParmParse().add("x", "2*y");
    ParmParse().add("y", 3);
    CHECK(pp.get<Real>("x") == 6);
    ParmParse("p").add("x", "2*z");
    ParmParse("p").add("z", 5);
    CHECK(pp.get<int>("p.x") == 10);
    ParmParse().add("t", 7);
    CHECK(real("t*2") == 14);
    CHECK(real("t") == 1);
}

TEST_CASE("ParmParse refuses what is no number and names key and value") {
    const CleanTable clean;
    const ParmParse pp;
    for (const char* text : {"",   " ",   "abc", "1 2",  "1;2",    "0x10",   "1d3",     "1_000",  "1..2", "(1",
                             "1)", "1+",  "*",   "f(1)", "sqrt()", "min()",  "if(1,2)", "1 && 0", "!1",   "5%3",
                             "e",  "e+1", "a=",  "=",    "1e400",  "FALSE;", "t;",      "true*2", "3x"}) {
        CAPTURE(text);
        ParmParse().add("e", text);
        Real value = 42;
        CHECK_THROWS_AS(pp.query("e", value), ValueError);
        CHECK(value == 42);
        CHECK_THROWS_AS(pp.get<Long>("e"), ValueError);
        CHECK_THROWS_AS(pp.get<bool>("e"), ValueError);
    }
    for (const char* text : {"nan", "inf", "-inf", "1/0", "0*inf"}) {
        CAPTURE(text);
        ParmParse().add("b", text);
        CHECK_THROWS_AS(pp.get<bool>("b"), ValueError);
    }
    for (const char* text :
         {"10.5", "1/0", "9223372036854775808", "2**63", "0**-1", "1e30", "sin(0)", "inf", "-9223372036854775807-2",
          "9223372036854775807+1", "7//0", "7///2", "1.5//0.5", "-9223372036854775807-1//1-1"}) {
        CAPTURE(text);
        ParmParse().add("n", text);
        CHECK_THROWS_AS(pp.get<Long>("n"), ValueError);
    }
    ParmParse().add("n", "99999999999");
    CHECK_THROWS_AS(pp.get<int>("n"), ValueError);
    CHECK(pp.get<Long>("n") == 99999999999);
    ParmParse().add("amr.n", "abc");
    CHECK_THROWS_WITH_AS(ParmParse("amr").get<int>("n"), doctest::Contains("'amr.n' = 'abc'"), ValueError);
    CHECK_THROWS_WITH_AS(pp.get<int>("missing.key"), doctest::Contains("'missing.key'"), StateError);
    CHECK_THROWS_AS(pp.get<int>("n", 1), IndexError);
    CHECK_THROWS_AS(pp.get<int>("n", -1), IndexError);
}

TEST_CASE("ParmParse bounds hostile expressions") {
    const CleanTable clean;
    const ParmParse pp;
    ParmParse().add("deep", std::string(200000, '(') + "1" + std::string(200000, ')'));
    CHECK_THROWS_AS(pp.get<Real>("deep"), ValueError);
    std::string powers = "1";
    for (int i = 0; i < 100000; ++i) powers += "^1";
    ParmParse().add("powers", powers);
    CHECK_THROWS_AS(pp.get<Real>("powers"), ValueError);
    ParmParse().add("signs", std::string(1000000, '-') + "1");
    CHECK_THROWS_AS(pp.get<Real>("signs"), ValueError);
    ParmParse().add("a", "b");
    ParmParse().add("b", "a");
    CHECK_THROWS_AS(pp.get<Real>("a"), ValueError);
    const auto variable = [](int i) { return std::string(1, 'v').append(std::to_string(i)); };
    for (int i = 0; i < 40; ++i) ParmParse().add(variable(i), variable(i + 1) + '+' + variable(i + 1));
    ParmParse().add("v40", "1");
    CHECK_THROWS_AS(pp.get<Real>("v0"), ValueError);
    CHECK(pp.get<Real>("v30") == 1024);
}

TEST_CASE("ParmParse survives random text") {
    const CleanTable clean;
    std::mt19937 random(7);
    const std::string letters = "ab= =\"()[]#\\\n\t 1.e+-*/^;,<>!tf_\0x";
    int accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (std::size_t n = random() % 24; n > 0; --n) text += letters[random() % letters.size()];
        try {
            ParmParse::add_text(text);
            ++accepted;
        } catch (const ValueError&) {
        } catch (const IoError&) {
        }
        ParmParse().add("e", text);
        try {
            static_cast<void>(ParmParse().get<Real>("e"));
            ++accepted;
        } catch (const ValueError&) {
        }
        if (round % 100 == 0) ParmParse::finalize();
    }
    CHECK(accepted > 100);
}

TEST_CASE("ParmParse table: prefixes, add, arrays, remove, unused") {
    const CleanTable clean;
    ParmParse::add_text("amr.n = 1 2 3\namrx.n = 9\nother = 1");
    const ParmParse amr("amr");
    CHECK(amr.contains("n"));
    CHECK_FALSE(amr.contains("m"));
    CHECK(amr.countval("n") == 3);
    CHECK(amr.getarr<int>("n") == std::vector<int>{1, 2, 3});
    CHECK(amr.getarr<int>("n", 1, 2) == std::vector<int>{2, 3});
    CHECK(amr.getarr<int>("n", 3) == std::vector<int>{});
    CHECK_THROWS_AS(amr.getarr<int>("n", 2, 2), IndexError);
    CHECK_THROWS_AS(amr.getarr<int>("n", 4), IndexError);
    CHECK_THROWS_AS(amr.getarr<int>("none"), StateError);
    std::vector<int> kept{5};
    CHECK_FALSE(amr.queryarr("none", kept));
    CHECK(kept == std::vector<int>{5});
    CHECK(amr.entries().size() == 1);
    CHECK(amr.entries()[0].kind == ParmKind::integer);
    CHECK(ParmParse().unused() == Words{"amrx.n", "other"});
    ParmParse("amr").add("new", 0.1);
    CHECK(amr.get<Real>("new") == 0.1);
    ParmParse().add("amr.new", true);
    CHECK(amr.get<bool>("new"));
    CHECK(ParmParse("amr").remove("new"));
    CHECK_FALSE(ParmParse("amr").remove("new"));
    CHECK_THROWS_AS(ParmParse().add("", 1), ValueError);
    CHECK_THROWS_AS(ParmParse().add("a b", 1), ValueError);
    ParmParse::finalize();
    CHECK(ParmParse().entries().empty());
}

TEST_CASE("ParmParse text round trip") {
    const CleanTable clean;
    std::mt19937 random(3);
    std::uniform_real_distribution<Real> uniform(-1e10, 1e10);
    std::vector<Real> reals;
    for (int i = 0; i < 200; ++i) reals.push_back(std::ldexp(uniform(random), static_cast<int>(random() % 1800) - 900));
    ParmParse("r").addarr("many", reals);
    ParmParse().addarr("words", Words{"a b", "", "#", "(1, 2)", "x=y", "[1,2]", "back\\"});
    ParmParse().add("v", "(1,2,3)");
    ParmParse().addarr("none", Words{});
    const std::string text = ParmParse().to_text();
    ParmParse::finalize();
    ParmParse::add_text(text);
    CHECK(ParmParse("r").getarr<Real>("many") == reals);
    CHECK(ParmParse().getarr<std::string>("words") == Words{"a b", "", "#", "(1, 2)", "x=y", "[1,2]", "back\\"});
    CHECK(ParmParse().getarr<std::string>("none").empty());
    CHECK(ParmParse().to_text() == text);
    CHECK_THROWS_AS(ParmParse::add_text("a ="), ValueError);
}

// Every short value of the characters that mean something: written and read again as the same, or refused.
TEST_CASE("ParmParse text round trip of any value") {
    const CleanTable clean;
    constexpr std::string_view characters = "a\"()[]=#\\ \n\v,";
    int refused = 0;
    for (int length = 0; length <= 3; ++length) {
        const int count = static_cast<int>(std::pow(characters.size(), length));
        for (int code = 0; code < count; ++code) {
            std::string value;
            for (int rest = code, n = 0; n < length; ++n, rest /= static_cast<int>(characters.size())) {
                value += characters[static_cast<std::size_t>(rest) % characters.size()];
            }
            const Words values{"1", value, value, "x y", value};
            ParmParse::finalize();
            ParmParse().addarr("v", values);
            std::string text;
            try {
                text = ParmParse().to_text();
            } catch (const ValueError&) {
                CHECK_MESSAGE(value.find('"') != std::string::npos, value);
                ++refused;
                continue;
            }
            ParmParse::finalize();
            ParmParse::add_text(text);
            CHECK_MESSAGE(ParmParse().getarr<std::string>("v") == values, text);
        }
    }
    CHECK(refused > 100);
}

TEST_CASE("ParmParse text refuses what no inputs file can hold") {
    const CleanTable clean;
    ParmParse().add("FILE", 1);
    CHECK_THROWS_WITH_AS(ParmParse().to_text(), doctest::Contains("FILE"), ValueError);
    ParmParse().remove("FILE");
    CHECK(ParmParse().to_text().empty());
    for (const char* name : {"(", "[a", "&a", "f(x,y)", "{"}) {
        ParmParse().add(name, 1);
        const std::string text = ParmParse().to_text();
        ParmParse::finalize();
        ParmParse::add_text(text);
        CHECK_MESSAGE(ParmParse().get<int>(name) == 1, text);
        ParmParse::finalize();
    }
}

TEST_CASE("ParmParse command lines") {
    const CleanTable clean;
    const std::string more = scratch_file("more", "m.a = 1\nm.b = 2\n");
    const std::string file = scratch_file("main", "x = 1\ny = 2\nFILE = " + more + "\nm.b = 3\n");
    ParmParse::initialize({file, "y=5", "z", "=", "1", "2", "w =", "7", "s=hello world", "again", "--", "not=this"});
    const ParmParse pp;
    CHECK(pp.get<int>("x") == 1);
    CHECK(pp.get<int>("y") == 5);
    CHECK(pp.getarr<int>("z") == std::vector<int>{1, 2});
    CHECK(pp.get<int>("w") == 7);
    CHECK(pp.getarr<std::string>("s") == Words{"hello", "world", "again"});
    CHECK(pp.get<int>("m.a") == 1);
    CHECK(pp.get<int>("m.b") == 3);
    CHECK_FALSE(pp.contains("not"));
    ParmParse::initialize({"FILE=" + more});
    CHECK(pp.get<int>("m.b") == 2);
    CHECK(pp.get<int>("x") == 1);
    ParmParse::initialize({});
    ParmParse::initialize({"n", "=", "3"});
    CHECK(pp.get<int>("n") == 3);
    CHECK_THROWS_AS(ParmParse::initialize({"/nonexistent/inputs"}), IoError);
    CHECK_THROWS_AS(ParmParse::initialize({"a=1", "b="}), ValueError);
    CHECK_THROWS_AS(ParmParse::add_file("/tmp"), IoError);
    CHECK_THROWS_AS(ParmParse::add_file(std::string("a\0b", 3)), IoError);
    const std::string self = std::filesystem::temp_directory_path() / "zerofab_parm_self";
    scratch_file("self", "FILE = " + self + " " + self + "\n");
    CHECK_THROWS_AS(ParmParse::add_file(self), ValueError);
    for (const std::string& path : {file, more, self}) std::filesystem::remove(path);
}
