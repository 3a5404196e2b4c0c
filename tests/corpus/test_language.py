import pytest

from gambol import ScriptError
from gambol.corpus.lines import Line


def test_comments_echo_and_silence(session):
    assert session("# nothing\n\n! said\n@ always said\n") == ["said", "always said"]
    assert session("silent\n! said\n@ always said\nunsilent\n! again\n") == ["always said", "again"]


def test_variables_are_whole_numbers(session):
    changes = ("%a=7", "%a+", "%a+ 5", "%a- 3", "%a* 4", "%a/ 6", "%a# 4")
    said = [line for change in changes for line in session(f"{change}\n@ %a")] + session("set b 12\n@ %a%b\n")
    assert said == ["7", "8", "13", "10", "40", "6", "2", "212"]
    assert session("%c=-7\n%c/ 2\n@ %c") == ["-3"]


def test_a_percent_sign_is_only_a_variable_before_a_letter(session):
    assert session("@ 50 % of %z") == ["50 % of %z"]


def test_conditions(session):
    said = session(
        "%a=5\nif %a=5 @ equal\nif %a = 4 @ not equal\nif %a<6 @ less\nif %a > 4 @ more\n"
        "blocksize 3\nif %a # 2 @ remainder\nif 4 # 2 @ no remainder\nif %a=5 %a+\n@ %a\n"
    )
    assert said == ["equal", "less", "more", "remainder", "6"]


def test_command_lists_take_a_parameter_and_a_count(session):
    session("cl greet\n@ hello **\n.\ncl count\n%n+\n.\n%n=0\n")
    assert session("greet you") == ["hello you"]
    assert session("greet you 2") == ["hello you", "hello you"]
    assert session("greet 7") == ["hello 7"]
    assert session("count 5\n@ %n") == ["5"]
    assert session("commandloop 3\n%n+\n.\n@ %n") == ["8"]


def test_lists_call_lists(session):
    session("cl inner\n@ <**>\n.\ncl outer\ninner **a\ninner **b\n.\n")
    assert session("outer x 2") == ["<xa>", "<xb>"] * 2


def test_saved_lists(session):
    session("savelist s\none\ntwo\n\nthree\n.\n")
    assert session("playlist s @\npl s @ the\npl s @\npl s @") == ["one", "the two", "three", "one"]
    assert session("playlistn s 2 @") == ["three"]
    assert session("playlistfull s @") == ["one", "two", "three"]
    assert session("foreach s @ a ** b") == ["a one b", "a two b", "a three b"]


def test_tracks(session):
    session("track 2 4 @ t %A\ntracka 2 4 @ a %A\ntrackc 2 4 @ c %A\ntrackf 2 4 @ f\n")
    frames = {n: session(f"frame {n}\nft\n") for n in (0, 3, 4, 6)}
    assert frames[0] == ["a 0", "c 1", "f 0"]
    assert frames[3] == ["t 1", "a 1", "c 1", "f 1"]
    assert frames[4] == ["t 2", "a 2", "c 2", "f 2"]
    assert frames[6] == ["a 2", "c 1", "f 2"]
    assert session("frame\ntrackflush\nft") == ["6"]


def test_output_goes_to_files(session, tmp_path):
    session("get a from unit_cube\nwhereis a > where.txt\nmove a 1 2 3\nwhereis a >> where.txt\n")
    assert (tmp_path / "where.txt").read_text() == "a: 0 0 0\na: 1 2 3\n"
    session("savelist s\na\na\n.\nforeach s whereis ** > both.txt")
    assert (tmp_path / "both.txt").read_text() == "a: 1 2 3\n" * 2
    session("write notes.txt\none  two\n# kept\n.\n")
    assert (tmp_path / "notes.txt").read_text() == "one  two\n# kept\n"


def test_comparison_is_not_redirection(session, tmp_path):
    assert session("if 3 > 2 @ yes") == ["yes"]
    assert list(tmp_path.iterdir()) == []


def test_scripts_call_scripts(session, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "part.corpus").write_text("@ part %n\n%n+\nif %n=3 dostop\n@ end\n")
    assert session("%n=1\nsearchpath sub\ndo part.corpus 2\n@ back") == ["part 1", "end", "part 2", "back"]


def test_quit_and_toplevel_end_scripts(session):
    assert session("@ a\nquit\n@ b\n") == ["a"]
    assert session.interpreter.finished
    assert session("cl out\ntoplevel\n@ b\n.\n@ a\nout\n@ c\n") == ["a"]


def test_a_failing_line_stops_unless_told_otherwise(session, make_session):
    with pytest.raises(ScriptError, match=r"<text>:2: move: there is no object 'a'"):
        session("@ one\nmove a 1 0 0\n@ two\n")
    assert session.said == ["one"]
    going = make_session(keep_going=True)
    assert going("@ one\nmove a 1 0 0\n@ two\n") == ["one", "error: <text>:2: move: there is no object 'a'", "two"]
    assert [fault.line for fault in going.interpreter.faults] == [2]


def test_faults_name_the_place_of_the_list_and_of_its_call(session):
    with pytest.raises(ScriptError, match=r"<text>:2: move: .* \(called from <text>:5\)"):
        session("cl go-on\nmove ** 1 0 0\n.\n@ one\ngo-on box\n")


def test_alarms_and_timers(session):
    session(
        "addworld w\nground off\naddcorpus c\nget a from unit_cube\naddbody a a 0 0 1 rotary 1\nsetroot a\ncorpusinit\n"
    )
    session("dt .1\n")
    said = session("%k=3\nalarm .25 @ alarm %k\ntimer .2 @ timer\n%k=4\ngo 6\ntime\n")
    assert said == ["timer", "alarm 3", "timer", "time: 0.6"]
    assert session("alarm .55 @ now\ntimerflush\n") == ["now", "timer"]


def test_other_programs_are_off_by_default(session, make_session):
    with pytest.raises(ScriptError, match="may not be started"):
        session("system echo hello")
    assert make_session(allow_system=True)("system echo hello") == ["hello"]


def test_a_master_talks_to_its_children(make_session):
    master = make_session(allow_system=True)
    master("ppopen child cat\nppwrite child @ from the child\nppwrite child %n=5\n")
    assert master("%n=0\nppdo child\n@ %n") == ["from the child", "5"]
    assert master("ppwrite child text\nppread child") == ["text"]
    master.interpreter.processes.close()


def test_files_stay_below_the_folder(session, make_session, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "s.corpus").write_text("@ read\n")
    (tmp_path / "link").symlink_to(outside)
    for name in (f"{outside}/s.corpus", f"../{outside.name}/s.corpus", "link/s.corpus"):
        with pytest.raises(ScriptError, match="may not be read"):
            session(f"do {name}")
        with pytest.raises(ScriptError, match="may not be written"):
            session(f"version > {name}")
    assert make_session(allow_paths=[outside])(f"do {outside}/s.corpus") == ["read"]


def test_help_is_made_from_the_table(session):
    assert session("help scale") == ["scale object x y z", "  scales an object"]
    assert session("help db")[-1].startswith("  no effect here: ")
    assert len(session("help")) > 400


def test_lines_know_their_place():
    assert Line("x", "file.corpus", 3).with_text("y") == Line("y", "file.corpus", 3)
    assert Line("x", "file.corpus", 3).location == "file.corpus:3"
