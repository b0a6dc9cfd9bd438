import fc from 'fast-check';

/** A place where something comes in from outside, and what must hold there whatever comes. */
export interface Edge {
  readonly name: string;
  /** How many times as many cases are tried as of others: it takes no time. */
  readonly times?: number;
  /** Makes ready what the property needs. */
  open(): Promise<OpenEdge>;
}

export interface OpenEdge {
  readonly property: fc.IRawProperty<unknown>;
  close?(): Promise<void>;
}

/** An edge whose property needs nothing made ready. */
export function edge<T>(
  name: string,
  arbitrary: fc.Arbitrary<T>,
  check: (value: T) => void,
  times = 1,
): Edge {
  return { name, times, open: async () => ({ property: fc.property(arbitrary, check) }) };
}

/** Text of any kind: words, markup, other scripts, control characters, halves of characters. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        ...'a word 1 " \' “ ” — -- = < > & | \\ / * ** _ ` ``` ~~ [ ]( ) ( ! # @ : - . , { }'.split(' '),
        ...'<@U1|ada> <#C1|general> <!channel> <!subteam^S1|@team> @everyone <@!123> <@&45>'.split(' '),
        ...'https://a.example/b?c=1 http:// javascript: data: &lt; &amp; __proto__ constructor'.split(' '),
        ...[' ', '\n', '\t', '中文', '，', '😀', '\u200d', '\u202e', '\u0000', '\ufeff', '\ud800'],
        ...['-# ', '> ', '| - |', '1. '],
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join('')),
);
