import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'vitest/node';

const root = resolve(import.meta.dirname, '../..');

/** A regular expression as it stands in the source. */
export interface SourceRegex {
  /** `FILE:LINE`. */
  readonly place: string;
  readonly regex: RegExp;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** What stands for a part of a pattern that is only known while the bot runs, by the code that makes it. */
export type Samples = Readonly<Record<string, string>>;

/** Every regular expression of the bot's own code: literals, and what `new RegExp` makes of its samples. */
export function sourceRegexes(samples: Samples): SourceRegex[] {
  return ['src', 'commands'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .flatMap((name) => regexesOf(join(folder, name), samples)),
  );
}

function regexesOf(file: string, samples: Samples): SourceRegex[] {
  const code = readFileSync(join(root, file), 'utf8');
  const nodes = nodesOf(parseAst(code, { lang: 'ts' }));
  const reader = new PatternReader(code, nodes, samples);
  return nodes.flatMap((node) => {
    const regex = reader.regexOf(node);
    return regex ? [{ place: `${file}:${code.slice(0, node.start).split('\n').length}`, regex }] : [];
  });
}

/** All nodes below, in the order of the code. */
function nodesOf(value: unknown, found: Node[] = []): Node[] {
  if (typeof value !== 'object' || value === null) return found;
  if (typeof (value as Node).type === 'string') found.push(value as Node);
  for (const field of Object.values(value)) nodesOf(field, found);
  return found;
}

/** Reads the regular expressions of one file, with the constants that its patterns are put together from. */
class PatternReader {
  readonly #code: string;
  readonly #constants = new Map<string, Node>();
  readonly #samples: Samples;

  constructor(code: string, nodes: readonly Node[], samples: Samples) {
    this.#code = code;
    this.#samples = samples;
    for (const node of nodes) {
      const id = node.id as Node | undefined;
      if (node.type === 'VariableDeclarator' && id?.type === 'Identifier' && node.init)
        this.#constants.set(String(id.name), node.init as Node);
    }
  }

  regexOf(node: Node): RegExp | undefined {
    const literal = node.regex as { pattern: string; flags: string } | undefined;
    if (node.type === 'Literal' && literal) return new RegExp(literal.pattern, literal.flags);
    const callee = node.callee as Node | undefined;
    if ((node.type !== 'NewExpression' && node.type !== 'CallExpression') || callee?.name !== 'RegExp')
      return undefined;
    const [pattern, flags] = node.arguments as Node[];
    return new RegExp(this.#textOf(pattern!), flags && this.#textOf(flags));
  }

  /** The text of an expression that makes a pattern. */
  #textOf(node: Node): string {
    const written = this.#code.slice(node.start, node.end);
    if (written in this.#samples) return this.#samples[written]!;
    if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
    if (node.type === 'TaggedTemplateExpression') return this.#template(node.quasi as Node, 'raw');
    if (node.type === 'TemplateLiteral') return this.#template(node, 'cooked');
    const constant = node.type === 'Identifier' && this.#constants.get(String(node.name));
    if (constant) return this.#textOf(constant);
    throw new Error(`a sample is needed for what a pattern is made of: ${written}`);
  }

  #template(node: Node, form: 'raw' | 'cooked'): string {
    const expressions = node.expressions as Node[];
    return (node.quasis as { value: Record<'raw' | 'cooked', string> }[])
      .map(({ value }, index) => value[form] + (expressions[index] ? this.#textOf(expressions[index]) : ''))
      .join('');
  }
}
