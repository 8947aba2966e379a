import { expect, it } from 'vitest';
import { errorLine } from '../../src/foundation/error-line.ts';

/** As the programs print them. */
const OUTPUTS: Readonly<Record<string, readonly [output: string, line: string]>> = {
  Python: [
    'reading\nTraceback (most recent call last):\n  File "a.py", line 2, in f\n    g()\n    ~^^\nKeyError: \'price\'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "a.py", line 9, in <module>\n    f()\nValueError: no column named price\n  more of it\n',
    'ValueError: no column named price',
  ],
  Node: [
    'file:///a.mjs:1\nthrow new TypeError("x")\n      ^\n\nTypeError: Cannot read the price\nsecond line\n    at f (file:///a.mjs:1:21)\n\nNode.js v20.20.2\n',
    'TypeError: Cannot read the price',
  ],
  'a file that Node does not find': [
    "node:internal/modules/cjs/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/x.js'\n    at Module._resolveFilename (node:internal:1:1) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2",
    "Error: Cannot find module '/x.js'",
  ],
  'an error of Node with a code': ['Error [ERR_X]: not allowed\n    at f (a.js:1:1)', 'Error [ERR_X]: not allowed'],
  Go: ['panic: no price\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:4 +0x1d\nexit status 2', 'panic: no price'],
  Rust: [
    "thread 'main' (17) panicked at src/main.rs:2:5:\nno price\nnote: run with `RUST_BACKTRACE=1` environment variable\n",
    'no price',
  ],
  Java: [
    'Exception in thread "main" java.lang.RuntimeException: failed\n\tat A.main(A.java:3)\nCaused by: java.io.IOException: no price\n\t... 1 more\n',
    'Caused by: java.io.IOException: no price',
  ],
  'a compiler': [
    '   Compiling a\nerror[E0425]: cannot find value `x`\n --> src/main.rs:2\nerror: aborting',
    'error[E0425]: cannot find value `x`',
  ],
  git: ['hint: look\nfatal: not a git repository\n', 'fatal: not a git repository'],
  'a shell': ['sh: 1: painter: not found\n', 'sh: 1: painter: not found'],
  'plain words': ['beginning\nout of clay\n\n', 'out of clay'],
  nothing: ['', ''],
};

it.each(Object.entries(OUTPUTS))('of %s is the line that says what went wrong', (_program, [output, line]) => {
  expect(errorLine(output)).toBe(line);
});
