/** A language the sandbox can write code in. */
export interface CodeLanguage {
  /** The language tag of the code fence. */
  readonly fence: string;
  readonly names: RegExp;
  readonly sample: string;
  /** A snippet to repeat with a number for `{n}`, for code of any length. */
  readonly unit: string;
}

const languages: readonly CodeLanguage[] = [
  {
    fence: 'ts',
    names: /\btypescript\b|\bts\b/i,
    sample: `/** Counts how often each word of a text occurs. */
export function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/\\p{L}+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

console.log(countWords('the cat saw the other cat'));`,
    unit: 'export function step{n}(value: number): number {\n  return value + {n};\n}\n',
  },
  {
    fence: 'python',
    names: /\bpython\b|\bpy\b/i,
    sample: `def primes(limit: int) -> list[int]:
    """Every prime below the limit."""
    composite = bytearray(limit)
    for number in range(2, limit):
        for multiple in range(number * number, limit, number):
            composite[multiple] = 1
    return [number for number in range(2, limit) if not composite[number]]


print(primes(50))`,
    unit: 'def step_{n}(value: int) -> int:\n    """Step {n} of the sum."""\n    return value + {n}\n\n',
  },
  {
    fence: 'js',
    names: /\bjavascript\b|\bjs\b/i,
    sample: `const debounce = (task, milliseconds, timer) => (...values) => {
  clearTimeout(timer);
  timer = setTimeout(task, milliseconds, ...values);
};

debounce((text) => console.log(\`saved \${text.length} characters\`), 300)('draft');`,
    unit: 'function step{n}(value) {\n  return value + {n};\n}\n',
  },
  {
    fence: 'go',
    names: /\bgolang\b|\bin go\b|\bgo code\b/i,
    sample: `// gcd is the greatest common divisor of two positive numbers.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}`,
    unit: '// step{n} adds {n}.\nfunc step{n}(value int) int {\n\treturn value + {n}\n}\n',
  },
  {
    fence: 'rust',
    names: /\brust\b/i,
    sample: `fn main() {
    let numbers = std::iter::successors(Some((0u64, 1u64)), |(a, b)| Some((*b, a + b)));
    println!("{:?}", numbers.map(|(a, _)| a).take(12).collect::<Vec<_>>());
}`,
    unit: '/// Adds {n}.\nfn step_{n}(value: u64) -> u64 {\n    value + {n}\n}\n',
  },
  {
    fence: 'sql',
    names: /\bsql\b/i,
    sample: `SELECT city, COUNT(*) AS visits, ROUND(AVG(days), 1) AS average_days
FROM trips
WHERE started >= DATE '2025-01-01'
GROUP BY city
ORDER BY visits DESC;`,
    unit: "INSERT INTO steps (number, label) VALUES ({n}, 'step {n}');\n",
  },
  {
    fence: 'bash',
    names: /\bbash\b|\bshell\b/i,
    sample: `#!/usr/bin/env bash
set -euo pipefail

# Lists the ten largest files below a folder.
find "\${1:-.}" -type f -printf '%s\\t%p\\n' | sort --numeric-sort --reverse | head -n 10`,
    unit: 'echo "step {n}"\n',
  },
  {
    fence: 'html',
    names: /\bhtml\b/i,
    sample: `<!doctype html>
<html lang="en">
  <title>A small page</title>
  <p>Three backticks inside a page: \`code\`.</p>
</html>`,
    unit: '<p id="step-{n}">Step {n}</p>\n',
  },
  {
    fence: 'json',
    names: /\bjson\b/i,
    sample: '{ "numbers": [1, 2.5, -3e2], "nested": { "yes": true }, "text": "quotes \\" and 中文" }',
    unit: '{ "step": {n} }\n',
  },
];

/** The language a question names. */
export function findCodeLanguage(question: string): CodeLanguage | undefined {
  return languages.find(({ names }) => names.test(question));
}

/** A fenced block of code, of about `lines` lines if given; `language` may also be a number, for one in rotation. */
export function codeBlock(language: CodeLanguage | number, lines?: number): string {
  const chosen = typeof language === 'number' ? languages[language % languages.length] : language;
  const { fence = '', sample = '', unit = '' } = chosen ?? {};
  const units = Math.ceil((lines ?? 0) / (unit.split('\n').length - 1));
  const steps = Array.from({ length: units }, (_, index) => unit.replaceAll('{n}', String(index + 1)));
  return `\`\`\`${fence}\n${steps.length > 0 ? steps.join('').trimEnd() : sample}\n\`\`\``;
}
