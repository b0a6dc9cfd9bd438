/** Characters of every kind that patterns tell apart. */
const characters = [...'aAzx019 \t\n\r.,:;-_*`~#><|[](){}"\'\\/@!?=+&%^$中是个é😀\u0000\u3000'];
/** Repetitions that were found to hurt patterns of this code once, by `recheck` or by hand. */
const known = [
  '<@U1|',
  '<#C1|<',
  '<!s|',
  '<http:o|',
  '](',
  '- ',
  '1. ',
  '~~~',
  '> ',
  '|-',
  ':-|',
  '\t-:',
  '0 ',
  ' IN 0',
  '```',
  '--a ',
  '***a ',
  '~~a ',
  '__a ',
  '**a ',
  '="',
];
/** Characters that are tried in pairs, beside those a pattern names. */
const mostOthers = 8;
const mostRuns = 12;

/** Texts to be repeated, with what stands before and behind, that are likely to make a pattern try over and over. */
export interface Attack {
  readonly before: string;
  readonly pump: string;
  readonly after: string;
}

/** A text of about so many characters. */
export function textOf({ before, pump, after }: Attack, length: number): string {
  return before + pump.repeat(Math.ceil(length / pump.length)) + after;
}

/** Attacks made of what a pattern itself looks for. */
export function* attacksOn(regex: RegExp): Generator<Attack> {
  const named = characters.filter((character) => isNamed(regex, character));
  const others = characters.filter((character) => !named.includes(character) && isOfClass(regex, character));
  const atoms = [...named, ...others.slice(0, mostOthers)];
  const runs = literalRuns(regex.source);
  const pumps = new Set([...known, ...atoms, ...others, ...runs]);
  for (const atom of atoms) {
    for (const other of [...atoms, ...runs]) pumps.add(atom + other).add(other + atom);
  }
  for (const pump of pumps) {
    yield { before: '', pump, after: '\u0000' };
    yield { before: '', pump, after: '' };
    yield { before: 'x', pump, after: '\n!' };
  }
  for (const atom of named) {
    for (const pump of [' ', '  a']) yield { before: `a${atom}`, pump, after: '\u0000' };
  }
  for (const before of runs.flatMap((run) => (run.length === 1 ? [run, run.repeat(3)] : [run]))) {
    for (const pump of [...atoms, ...runs]) {
      yield { before, pump, after: '\u0000' };
      for (const after of atoms) yield { before, pump, after: `${after}\u0000` };
    }
  }
}

/** Words and signs that a pattern names. */
function literalRuns(source: string): string[] {
  const plain = source
    .replace(/\\[pP]\{[^}]*\}|\\[bBdDsSwW]/g, '\u0000')
    .replace(/\[(?:\\.|[^\]\\])*\]/g, '\u0000')
    .replace(/\(\?(?:[:=!]|<[=!]|<\w+>)|\{\d*,?\d*\}|[()|^$.*+?]/g, '\u0000')
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/\\(.)/g, '$1');
  return [...new Set(plain.split('\u0000').filter((run) => run !== ''))].slice(0, mostRuns);
}

/** Whether a pattern names a character, be it to leave it out. */
function isNamed({ source }: RegExp, character: string): boolean {
  return source.includes(character) || source.includes(JSON.stringify(character).slice(1, -1));
}

/** Whether one of a pattern's classes has a character. */
function isOfClass({ source, flags }: RegExp, character: string): boolean {
  const classes = source.match(/\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\[dDsSwW]|(?<!\\)\./g) ?? [];
  return classes.some((one) => new RegExp(`^${one}$`, flags.replace(/[gy]/g, '')).test(character));
}
