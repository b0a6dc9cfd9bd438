/** A language the sandbox can write code in. */
export interface CodeLanguage {
  /** The language tag of the code fence. */
  readonly fence: string;
  readonly names: RegExp;
  readonly sample: string;
  /** A snippet to repeat with a number for `{n}`, for code of any length. */
  readonly unit: string;
}

const typescript: CodeLanguage = {
  fence: 'ts',
  names: /\btypescript\b|\bts\b/i,
  sample: `/** Counts how often each word of a text occurs. */
export function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/\\p{L}+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

console.log(countWords('the cat saw the other cat'));`,
  unit: `/** Step {n} of the sum. */
export function step{n}(value: number): number {
  return value + {n};
}
`,
};

const languages: readonly CodeLanguage[] = [
  typescript,
  {
    fence: 'python',
    names: /\bpython\b|\bpy\b/i,
    sample: `from collections.abc import Iterator


def primes(limit: int) -> Iterator[int]:
    """Yield every prime below the limit."""
    composite = bytearray(limit)
    for number in range(2, limit):
        if composite[number]:
            continue
        yield number
        for multiple in range(number * number, limit, number):
            composite[multiple] = 1


print(list(primes(50)))`,
    unit: `def step_{n}(value: int) -> int:
    """Step {n} of the sum."""
    return value + {n}

`,
  },
  {
    fence: 'js',
    names: /\bjavascript\b|\bjs\b/i,
    sample: `function debounce(task, milliseconds) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => task(...values), milliseconds);
  };
}

const save = debounce((text) => console.log(\`saved \${text.length} characters\`), 300);
save('draft');`,
    unit: `function step{n}(value) {
  return value + {n};
}
`,
  },
  {
    fence: 'go',
    names: /\bgolang\b|\bin go\b|\bgo code\b/i,
    sample: `package main

import "fmt"

// gcd is the greatest common divisor of two positive numbers.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func main() {
	fmt.Println(gcd(1071, 462))
}`,
    unit: `// step{n} adds {n}.
func step{n}(value int) int {
	return value + {n}
}
`,
  },
  {
    fence: 'rust',
    names: /\brust\b/i,
    sample: `/// The Fibonacci numbers, one after another.
fn fibonacci() -> impl Iterator<Item = u64> {
    let mut pair = (0, 1);
    std::iter::from_fn(move || {
        let now = pair.0;
        pair = (pair.1, pair.0 + pair.1);
        Some(now)
    })
}

fn main() {
    println!("{:?}", fibonacci().take(12).collect::<Vec<_>>());
}`,
    unit: `/// Adds {n}.
fn step_{n}(value: u64) -> u64 {
    value + {n}
}
`,
  },
  {
    fence: 'sql',
    names: /\bsql\b/i,
    sample: `SELECT city, COUNT(*) AS visits, ROUND(AVG(days), 1) AS average_days
FROM trips
WHERE started >= DATE '2025-01-01'
GROUP BY city
HAVING COUNT(*) > 3
ORDER BY visits DESC;`,
    unit: `INSERT INTO steps (number, label) VALUES ({n}, 'step {n}');
`,
  },
  {
    fence: 'bash',
    names: /\bbash\b|\bshell\b/i,
    sample: `#!/usr/bin/env bash
set -euo pipefail

# Lists the ten largest files below a folder.
folder="\${1:-.}"
find "$folder" -type f -printf '%s\\t%p\\n' | sort --numeric-sort --reverse | head -n 10`,
    unit: `echo "step {n}"
`,
  },
  {
    fence: 'html',
    names: /\bhtml\b/i,
    sample: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>A small page</title>
  </head>
  <body>
    <h1>Hello</h1>
    <p>Three backticks inside a page: \`code\`.</p>
  </body>
</html>`,
    unit: `<p id="step-{n}">Step {n}</p>
`,
  },
  {
    fence: 'json',
    names: /\bjson\b/i,
    sample: `{
  "name": "sandbox",
  "numbers": [1, 2.5, -3e2],
  "nested": { "yes": true, "nothing": null },
  "text": "quotes \\" and 中文"
}`,
    unit: `{ "step": {n} }
`,
  },
];

/** The language a question names. */
export function findCodeLanguage(question: string): CodeLanguage | undefined {
  return languages.find(({ names }) => names.test(question));
}

/** The languages in rotation, for answers with several code blocks. */
export function codeLanguage(index: number): CodeLanguage {
  return languages[index % languages.length] ?? typescript;
}

/** A fenced code block of about `lines` lines. */
export function codeBlock(language: CodeLanguage, lines?: number): string {
  const code = lines === undefined ? language.sample : repeated(language, lines);
  return `\`\`\`${language.fence}\n${code}\n\`\`\``;
}

function repeated({ unit }: CodeLanguage, lines: number): string {
  const linesPerUnit = unit.split('\n').length - 1 || 1;
  const units = Math.max(1, Math.ceil(lines / linesPerUnit));
  return Array.from({ length: units }, (_, index) => unit.replaceAll('{n}', String(index + 1)))
    .join('')
    .trimEnd();
}
