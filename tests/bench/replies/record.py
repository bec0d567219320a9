"""Records what a real small model answers to sayso's own prompts.

    python3 -m venv VENV && VENV/bin/pip install xllamacpp
    VENV/bin/python tests/bench/replies/record.py MODEL.gguf NAME DIALECT PROMPT >> tests/bench/replies/recorded.jsonl

Starts llama.cpp's server in this process, lets `sayso run` ask it each task of `tasks.txt` (greedily: one text has one
reply), and prints one JSON object a reply. Nothing that is replied is run. NAME is what the model is called; by its size in
that name sayso knows that it is small. PROMPT names the prompts as they are now. README.md beside this file names the models.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import xllamacpp

HERE = pathlib.Path(__file__).parent
SAYSO = os.environ.get("SAYSO", HERE / "../../../target/debug/sayso")
DATA = "city,population,price\nParis,2100000,12.5\nRome,2800000,9.0\nOslo,700000,21.0\nBern,134000,17.5\n"


def serve(model):
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = 4096
    params.n_predict = 320
    params.n_parallel = 1
    params.warmup = False
    params.sampling.temp = 0.0
    params.sampling.seed = 1
    params.cpuparams.n_threads = 1
    params.port = 0
    return xllamacpp.Server(params)


def ask(base, name, dialect, home, prompt):
    work = home / "work"
    work.mkdir(exist_ok=True)
    (work / "data.csv").write_text(DATA)
    command = [SAYSO, "run", "--json", "--model", f"lab/{name}", "--cwd", work, "--sandbox", "off", prompt]
    done = subprocess.run(command, capture_output=True, text=True, cwd=work,
                          env={**os.environ, "SAYSO_HOME": str(home / "sayso"), "HOME": str(home)})
    replies = [event for event in map(json.loads, done.stdout.splitlines()) if event.get("event") == "reply"]
    if not replies:
        sys.exit(f"no reply to {prompt!r}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return {"text": replies[0]["text"], "finish": replies[0]["finish"], "input": replies[0]["usage"]["input"]}


def main(model, name, dialect, told):
    server = serve(model)
    base = f"{server.listening_address}/v1"
    with tempfile.TemporaryDirectory() as home:
        home = pathlib.Path(home)
        (home / "sayso").mkdir()
        (home / "sayso/config.toml").write_text(
            f'dialect = "{dialect}"\n[providers.lab]\nkind = "openai"\nbase_url = "{base}"\ncontext = 4096\n')
        for prompt in (HERE / "tasks.txt").read_text().splitlines():
            reply = ask(base, name, dialect, home, prompt)
            print(json.dumps({"model": name, "prompt": told, "task": prompt, **reply}, ensure_ascii=False), flush=True)


main(*sys.argv[1:])
