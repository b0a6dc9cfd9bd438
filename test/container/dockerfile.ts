/** An instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string;
  /** `--from=packages` and its like. */
  readonly flags: Readonly<Record<string, string>>;
  /** Everything after the flags, lines joined. */
  readonly rest: string;
}

/** Reads a Dockerfile's instructions; comments and line ends are left out. */
export function readDockerfile(text: string): readonly Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line));
  const joined = lines.join('\n').replace(/\\\n/g, ' ');
  return joined.split('\n').map((line) => {
    const [, name = '', flags = '', rest = ''] = /^([A-Z]+)((?:\s+--\S+)*)\s+(.+)$/.exec(line.trim()) ?? [];
    if (name === '') throw new Error(`no instruction: ${line}`);
    const given = [...flags.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, flag = '', value = '']) => [flag, value]);
    return { name, flags: Object.fromEntries(given) as Record<string, string>, rest };
  });
}

/** The words of an instruction: a JSON list, or separated by spaces. */
export function wordsOf({ rest }: Instruction): readonly string[] {
  return rest.startsWith('[') ? (JSON.parse(rest) as string[]) : rest.split(/\s+/);
}

/** `NAME=value NAME="longer value"` */
export function pairsOf({ rest }: Instruction): Readonly<Record<string, string>> {
  const pairs = [...rest.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g)];
  return Object.fromEntries(pairs.map(([, name, quoted, plain]) => [name, quoted ?? plain]));
}
