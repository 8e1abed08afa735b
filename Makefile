# Every way to run the project, for people and for CI alike. `make` lists them.
PYTHON ?= python3
PY := .venv/bin/python
# The tests wait more than they compute: three workers keep two cores busy. Each file has one of
# them, so that what its tests share is made once.
WORKERS ?= 3
# They start a thousand processes, each of which would compile all modules anew without byte code.
unexport PYTHONDONTWRITEBYTECODE

# Whose change compiles the models anew.
COMPILER := $(wildcard packaging/model/*.py resources/models/*/checkpoint.json)

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow pytest test-windows model model-languages lint types imports bench bench-recognition bench-scale bench-peers bench-cluster bench-card bench-ranking fuzz faults soak trust confine-trace lock sample translations screenshots package help-pages site \
	clean

help:  ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/runtime.stamp  ## Install what is needed, index the sample documents, answer a question
	@$(PY) -m app demo

test: .venv/dev.stamp lint imports  ## Install what is needed and pass every check and test but the slow ones
	@# The check of types has one thread, so the tests begin beside it.
	@$(MAKE) --no-print-directory --jobs=2 types pytest

# In the order of the folders, whole engines first: small tests fill the end, when workers run dry.
# How long each test took is in build/tests.xml and build/slow-tests.xml.
PYTEST := $(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 20

pytest: .venv/dev.stamp
	$(PYTEST) -m "not slow" --junit-xml build/tests.xml

test-slow: .venv/dev.stamp .venv/older-sdk.stamp .venv/s3.stamp  ## Kill, damage, fill and watch whole libraries: the tests that `make test` leaves out
	$(PYTEST) -m slow --junit-xml build/slow-tests.xml

lint: .venv/dev.stamp  ## Style: ruff's rules and its formatting
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: .venv/dev.stamp  ## Strict static types
	.venv/bin/mypy
	@# Its folder shares the name of a library, so it is checked by file, not by package.
	.venv/bin/mypy --no-explicit-package-bases $(shell git ls-files 'packaging/*.py')

imports: .venv/dev.stamp  ## Who may import whom
	.venv/bin/lint-imports --no-cache

# The texts to learn from: JSON lines with "title" and "text", as *.jsonl.xz.
TEXTS ?= ../shared/train

model: .venv/convert.stamp  ## Train the late-chunked model anew (hours on a CPU; goes on where it stopped)
	$(PY) packaging/model/train.py --texts $(TEXTS) --run build/model/lectern-minilm-late
	$(PY) packaging/model/export.py --run build/model/lectern-minilm-late --id lectern-minilm-late
	$(PY) packaging/model/late_reference.py --model resources/models/lectern-minilm-late

model-languages: .venv/convert.stamp  ## Train the multilingual model anew (goes on where it stopped)
	$(PY) packaging/model/train.py --base e5 --texts $(TEXTS) --tokens 4915200 --run build/model/e5-first
	$(PY) packaging/model/train.py --base e5 --texts $(TEXTS) --tokens 1228800 --rate 2e-4 --seed 6 \
		--after build/model/e5-first --headless 0.5 --leading 0.7 --float32 --run build/model/lectern-e5-late
	$(PY) packaging/model/export.py --base e5 --run build/model/lectern-e5-late --id lectern-e5-late --texts $(TEXTS)
	$(PY) packaging/model/late_reference.py --model resources/models/lectern-e5-late

bench: .venv/runtime.stamp  ## Quality, speed, memory and size on the shared corpora, one table (half an hour)
	@$(PY) -m tests.benchmarks

# Goes on where it stopped; says how much disk each size needs.
bench-scale: .venv/runtime.stamp  ## What a library costs at 100,000 and 1,000,000 passages (15 GB); ARGS="--sizes 5000000" for others
	@$(PY) -m tests.benchmarks.scale $(ARGS)

bench-peers: .venv/runtime.stamp  ## Lectern beside sentence-transformers, LanceDB and txtai in one run (an hour; 12 GB); ARGS="--documents 2"
	@$(PY) -m tests.benchmarks.peers $(ARGS)

bench-card: .venv/runtime.stamp  ## A graphics card beside the processor: speed and numbers (five minutes; needs ONNX Runtime for it); ARGS="--models DIR"
	@$(PY) -m tests.benchmarks.card $(ARGS)

bench-recognition: .venv/runtime.stamp  ## Words found on scanned and photographed pages (ten minutes); ARGS="--tesseract --languages de"
	@$(PY) -m tests.benchmarks.recognition $(ARGS)

bench-cluster: .venv/dev.stamp  ## A library of many shards beside one of the same documents (an hour); ARGS="evidence --shards 4.5"
	@$(PY) -m tests.benchmarks.cluster $(ARGS)

bench-ranking: .venv/runtime.stamp  ## What each part of the ranking is worth, into tests/benchmarks/RANKING.md
	@$(PY) -m tests.benchmarks.ranking

soak: .venv/dev.stamp  ## Half an hour of accidents to libraries; ARGS="changes --scale full" for one
	@$(PY) -m tests.soak $(ARGS)

confine-trace: .venv/dev.stamp  ## The system calls that readers of documents make, and those refused; ARGS="FILE …"
	@$(PY) -m tests.trust.calls $(ARGS)

trust: .venv/dev.stamp  ## Play documents that run code, then watch every kind of process for two minutes
	$(PY) -m pytest tests/integration/test_confinement.py tests/unit/confine tests/unit/extract/process
	@$(PY) -m tests.trust

fuzz: .venv/dev.stamp  ## Read spoilt files of every format for ten minutes
	@$(PY) -m tests.fuzz --seconds 600

faults: .venv/dev.stamp  ## Put old faults back one at a time: the tests must tell each (a quarter of an hour)
	@$(PY) -m tests.faults $(ARGS)

# cpu, or gpu for CUDA.
FLAVOUR ?= cpu

package: .venv/dev.stamp  ## Make and try what people install on Linux: dist/ (half an hour, 5 GB)
	@$(PY) packaging/build.py --flavour $(FLAVOUR) $(STEPS)

test-windows: .venv/dev.stamp  ## What can be tried of Windows under Wine (half an hour; needs wine and mingw)
	@$(PY) -m tests.windows $(ARGS)

lock:  ## Pin the whole dependency tree again (needs uv)
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header -q \
		--extra cpu pyproject.toml -o requirements.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header -q \
		--extra cpu --extra build -c requirements.lock pyproject.toml -o requirements-build.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header -q \
		--extra cpu --extra build --extra dev -c requirements-build.lock pyproject.toml -o requirements-dev.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		--group s3 -o tests/s3.lock
	for group in peers peers-onnx; do \
		uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
			--group $$group -o tests/benchmarks/$$group.lock; \
	done

sample: .venv/runtime.stamp  ## Make the sample documents again
	@$(PY) packaging/sample.py

help-pages: .venv/dev.stamp  ## Bring the tables of the help up to date with the program
	@$(PY) packaging/help_pages.py

site: .venv/dev.stamp  ## The help as a site, in build/site
	@$(PY) -m mkdocs build -f packaging/site/mkdocs.yml

translations: .venv/dev.stamp  ## Gather the window's texts and compile their translations; NEW=fr begins one
	@$(PY) packaging/translations.py $(NEW)

screenshots: .venv/dev.stamp  ## Take the README's pictures of the window again
	@$(PY) packaging/screenshots.py

clean:  ## Remove what was built here (not your libraries)
	rm -rf .venv .demo build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Libraries of tests that cannot be beside the others: each lock has a folder of its own.
.venv/older-sdk.stamp .venv/s3.stamp: .venv/%.stamp: tests/%.lock .venv/dev.stamp
	$(PY) -m pip install -q --no-deps --require-hashes --upgrade --target .venv/$* -r $<
	@touch $@

.venv/runtime.stamp: pyproject.toml requirements-build.lock packaging/bootstrap.py $(COMPILER)
	@$(PYTHON) packaging/bootstrap.py runtime

.venv/dev.stamp: pyproject.toml requirements-build.lock requirements-dev.lock packaging/bootstrap.py $(COMPILER)
	@$(PYTHON) packaging/bootstrap.py dev

.venv/convert.stamp: pyproject.toml packaging/bootstrap.py .venv/dev.stamp
	@$(PYTHON) packaging/bootstrap.py convert
