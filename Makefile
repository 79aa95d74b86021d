# make run · make test · make lint · make bench · make learn · make loop · make screenshots · make
# texts · make wheel · make package: each sets up .venv as it needs.

BIN := .venv/bin
ARGS ?=
OFFSCREEN := QT_QPA_PLATFORM=offscreen
PYTEST := OMP_NUM_THREADS=1 $(OFFSCREEN) $(BIN)/python -m pytest

.PHONY: run test lint bench learn loop screenshots texts wheel package
.NOTPARALLEL:

# Some containers forbid Python to keep compiled modules: each of the thousands of processes that the
# tests start would then compile the program again, in half a second.
export PYTHONDONTWRITEBYTECODE :=

# On a machine without display the window is drawn into a picture instead.
run: .venv/.gui
	@packaging/qt_libraries.sh
	@if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		echo "There is no display here, so the window is drawn into a picture."; \
		mkdir -p screenshots; \
		$(OFFSCREEN) $(BIN)/sciread \
			$(if $(findstring --screenshot,$(ARGS)),,--screenshot screenshots/window.png) $(ARGS); \
	else \
		$(BIN)/sciread $(ARGS); \
	fi

# Without Qt's libraries the rest is still worth testing. Most tests wait for some process of theirs,
# so two go at once, each with a core of its own; those of one file share what they set up, and files
# of slow tests come first (tests/conftest.py). Waiting can starve on a busy machine: failed
# tests run once more, alone, and tests that pass only then are listed as FLAKY in the last lines.
test: .venv/.dev
	-@packaging/qt_libraries.sh
	@$(PYTEST) -n 2 --dist loadfile --no-loadscope-reorder $(ARGS) || { [ $$? -eq 1 ] && \
		echo "Running the failed tests once more:" && \
		SCIREAD_TEST_RETRY=1 $(PYTEST) $(ARGS) --last-failed --last-failed-no-failures none; }

lint: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --num-workers 2 sciread_app trainer
	$(BIN)/lint-imports --no-logo

bench: .venv/.bench
	@failed=0; for file in benchmarks/bench_*.py; do \
		echo "== $$file"; $(BIN)/python -m benchmarks.$$(basename $$file .py) || failed=1; \
	done; exit $$failed

# An hour and more on two cores: ARGS="--methods specter --quick" for a look.
learn: .venv/.dev
	@$(BIN)/python -m benchmarks.learn $(ARGS)

# Import 20,000 papers, train, evaluate and activate a model, without and with a window.
# ARGS="--quick": a short version.
loop: .venv/.dev
	-@packaging/qt_libraries.sh
	@$(OFFSCREEN) $(BIN)/python -m benchmarks.loop $(ARGS)

screenshots: .venv/.dev
	@packaging/qt_libraries.sh
	@$(OFFSCREEN) $(BIN)/python -m tests.screenshots $(ARGS)

# All texts of the program: build/texts.md to read, and a template for translations (CONTRIBUTING.md).
texts: .venv/.dev
	@$(BIN)/python packaging/texts.py
	@$(BIN)/pybabel -q extract -k tr -k tr_noop -k trn:1,2 -k trc:1c,2 --no-default-keywords -c Translators: \
		--project SciRead -o build/sciread.pot sciread_app trainer/contract

# dist/*.whl and .tar.gz of what is committed, tried in an environment of its own.
wheel: .venv/.wheel
	$(BIN)/python packaging/wheel.py
	packaging/check_wheel.sh

# The program for people without Python, and what is made of it for this system (packaging/README.md).
package: wheel .venv/.package
	@packaging/qt_libraries.sh
	packaging/portable.sh
	$(BIN)/python packaging/build.py
	$(BIN)/python packaging/check_program.py
	@if [ "$$(uname)" = Linux ]; then $(BIN)/python packaging/linux/build.py; fi
	cd dist && ls -p | grep -v -e / -e SHA256SUMS | xargs sha256sum | tee SHA256SUMS

# The CPU build of torch comes first and by itself: as a dependency of something else, pip would
# fetch gigabytes of CUDA with it.
.venv/.gui: pyproject.toml constraints.txt packaging/environment.sh packaging/apt.sh
	@packaging/environment.sh
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[gui]"
	@touch $@

.venv/.dev: .venv/.gui
	$(BIN)/python -m pip install --quiet -c constraints.txt --group dev
	@touch $@

.venv/.bench: .venv/.dev
	$(BIN)/python -m pip install --quiet -c constraints.txt --group bench
	@touch $@

.venv/.wheel: .venv/.gui
	$(BIN)/python -m pip install --quiet -c constraints.txt --group wheel
	@touch $@

.venv/.package: .venv/.gui
	$(BIN)/python -m pip install --quiet -c constraints.txt --group package
	@touch $@
