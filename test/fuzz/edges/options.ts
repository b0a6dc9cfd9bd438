import assert from 'node:assert/strict';
import {
  type APIApplicationCommandInteractionDataBasicOption,
  type APIAttachment,
  ApplicationCommandOptionType as Types,
} from 'discord-api-types/v10';
import fc from 'fast-check';
import { requests } from '../../../src/platforms/console/routes/requests.ts';
import { typedValues } from '../../../src/platforms/discord/commands/command-definition.ts';
import { typedCommand } from '../../../src/platforms/slack/commands/slash-commands.ts';
import { typedText } from '../../../src/platforms/slack/markup/incoming-text.ts';
import { formValues, readOrigin } from '../../../src/platforms/slack/receive/on-form.ts';
import {
  type AnyValues,
  type IncomingFile,
  locales,
  type Option,
  parseOptions,
  type RawValues,
  readCommandLine,
} from '../../../src/port/index.ts';
import { words } from '../../../src/words/index.ts';
import { type AnyCommand, definitions as commands } from '../../fakes/commands.ts';
import { anyText, edge } from '../edge.ts';

const all = commands as unknown as readonly AnyCommand[];
/** By name, so that what was found can be read. */
const anyCommand = fc.constantFrom(...all.map(({ name }) => name));

function commandNamed(name: string): AnyCommand {
  const command = all.find((one) => one.name === name);
  assert.ok(command);
  return command;
}

const anyFile: fc.Arbitrary<IncomingFile> = fc.record({
  name: anyText,
  contentType: fc.oneof(fc.constantFrom('image/png', 'video/mp4', 'image/', ''), anyText),
  size: fc.oneof(fc.nat(), fc.constantFrom(-1, Number.NaN, 1e18)),
  source: anyText,
});
const anyValue = fc.oneof(
  anyText,
  anyFile,
  fc.boolean(),
  fc.double(),
  fc.integer({ min: -5, max: 40 }),
  fc.constantFrom(...'8 2k 9:16 1080p true 否 none inherit https://a.example/1 mp3 1e3 ٣'.split(' ')),
  fc.constant(undefined),
);

/** Names that a command has, and such as it has not. */
function namesOf(command: string): fc.Arbitrary<string> {
  const own = Object.keys(commandNamed(command).options);
  const foreign = fc.constantFrom('__proto__', 'constructor', 'toString', 'prompt', 'size', '');
  return own.length > 0
    ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...own) }, foreign, anyText)
    : foreign;
}

const given = anyCommand.chain((command) =>
  fc.tuple(fc.constant(command), fc.dictionary(namesOf(command), anyValue, { maxKeys: 8 })),
);

/** What every platform hands on ends as values that keep the rules, or as sentences that say what is wrong. */
function checkParsed(name: string, raw: RawValues): void {
  const command = commandNamed(name);
  const parsed = parseOptions(command.options, raw);
  if ('faults' in parsed) {
    assert.ok(parsed.faults.length > 0);
    for (const locale of locales) {
      const sentence = words(locale).faults(command.name, parsed.faults);
      assert.ok(sentence.trim().length > 0 && sentence.length < 200 * (parsed.faults.length + 60), sentence);
    }
    return;
  }
  for (const [key, option] of Object.entries(command.options)) {
    const value = parsed.values[key];
    if (value === undefined) assert.ok(!option.required, `${key} is required`);
    else assert.ok(keepsRules(option, value), `${key}: ${JSON.stringify(value)}`);
  }
  assert.deepEqual(
    Object.keys(parsed.values).filter((name) => !Object.hasOwn(command.options, name)),
    [],
  );
  // What an answer costs depends on what was said before, too.
  if (name === 'ask') return;
  const price = (
    command as AnyCommand & { price?(values: AnyValues): { low: number; high: number } }
  ).price?.(parsed.values as never);
  if (price)
    assert.ok(
      price.low >= 0 && price.low <= price.high && Number.isFinite(price.high),
      JSON.stringify(price),
    );
}

function keepsRules(option: Option, value: AnyValues[string]): boolean {
  switch (option.type) {
    case 'text':
      return (
        typeof value === 'string' &&
        [...value].length <= (option.maxCharacters ?? Number.POSITIVE_INFINITY) &&
        Buffer.byteLength(value) <= (option.maxBytes ?? Number.POSITIVE_INFINITY) &&
        (option.pattern?.expression.test(value) ?? true)
      );
    case 'choice':
      return option.choices.includes(value as string);
    case 'integer':
      return (
        Number.isSafeInteger(value) && (value as number) >= option.min && (value as number) <= option.max
      );
    case 'number':
      return (value as number) >= option.min && (value as number) <= option.max;
    case 'boolean':
      return typeof value === 'boolean';
    case 'file':
      return (value as IncomingFile).contentType.startsWith(`${option.media}/`);
    case 'addresses':
      return (
        Array.isArray(value) &&
        value.length <= option.max &&
        value.every((address: string) => new URL(address).protocol === 'https:')
      );
  }
}

export const options = edge('options, as any platform hands them on', given, ([command, raw]) =>
  checkParsed(command, raw),
);

/** Discord's types of values need not be those a command was registered with: an old one may still be about. */
export const discordOptions = edge('options of Discord', given, ([command, raw]) => {
  const attachments: Record<string, APIAttachment> = {};
  const typed = Object.entries(raw).map(([name, value]) => {
    if (typeof value !== 'object') return { name, type: Types.String, value };
    const { name: filename, contentType: content_type, source: url } = value as IncomingFile;
    attachments[name] = { ...value, filename, content_type, url } as unknown as APIAttachment;
    return { name, type: Types.Attachment, value: name };
  });
  checkParsed(
    command,
    typedValues(
      typed as APIApplicationCommandInteractionDataBasicOption[],
      attachments,
      all.find(({ name }) => name === command),
      (_, text) => text,
    ),
  );
});

const anyJson = fc.jsonValue({ maxDepth: 4 });

export const consoleRequests = edge(
  'requests of the console',
  fc.oneof(
    anyJson,
    fc.record({
      eventId: fc.oneof(fc.constant('event-00000001'), anyText),
      place: anyText,
      command: fc.option(anyText, { nil: undefined }),
      text: fc.option(anyText, { nil: undefined, freq: 1 }),
      options: fc.oneof(
        anyJson,
        given.map(([, raw]) => raw),
      ),
      locale: fc.oneof(fc.constantFrom(...locales), anyText),
      timeZone: fc.oneof(fc.constantFrom('UTC', 'Asia/Shanghai', 'x'), anyJson),
    }),
  ),
  (body) => {
    for (const schema of Object.values(requests)) schema.safeParse(body);
    const command = requests.command.safeParse(body).data;
    if (!command) return;
    const values = Object.entries(command.options).map(([name, value]) => [
      name,
      typeof value === 'object' ? '' : value,
    ]);
    for (const one of all) checkParsed(one.name, Object.fromEntries(values) as RawValues);
  },
);

const lineParts = anyCommand.chain((command) =>
  fc.tuple(
    fc.constant(command),
    fc.array(
      fc.oneof(
        anyText,
        fc.constantFrom(' ', '  ', '\n', '--', '—', '-', '=', '"', '“', '”', "'", '‘', '’'),
        namesOf(command).map((name) => ` --${name} `),
        namesOf(command).map((name) => ` --${name}=`),
        fc.constantFrom('8', '9:16', 'a cat surfing', '"two words"'),
        fc.constant('https://a.example/1 https://a.example/2'),
      ),
      { maxLength: 14 },
    ),
  ),
);

export const slackCommandLine = edge('Slack’s command line', lineParts, ([name, parts]) => {
  const command = commandNamed(name);
  const line = parts.join('');
  const { values } = readCommandLine(typedText(line).text, command);
  checkParsed(name, values);
  for (const slash of ['/ask', '/troupe', '/acme-troupe']) typedCommand(slash, line, 'acme-', commands);
  // A word that is no option and stands in no quotation marks is text, and none of it is lost.
  if (command.textOption === undefined || /[-—"“”„'‘’]/.test(line)) return;
  assert.equal(values[command.textOption] ?? '', typedText(line).text.trim());
});

const anyState = fc.dictionary(
  fc.oneof(
    anyText,
    fc.constantFrom('prompt', 'size', 'files:reference', 'groups:users_ask', 'users_ask', '__proto__'),
  ),
  fc.record(
    {
      value: fc.record(
        {
          value: fc.oneof(anyText, fc.constant(null)),
          selected_option: fc.oneof(fc.record({ value: anyText }), fc.constant(null)),
          selected_options: fc.array(fc.record({ value: anyText }), { maxLength: 3 }),
          selected_users: fc.array(anyText, { maxLength: 3 }),
          files: fc.array(fc.record({ id: anyText, name: anyText, mimetype: anyText, size: fc.nat() }), {
            maxLength: 12,
          }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  { maxKeys: 6 },
);

export const slackForms = edge(
  'Slack’s forms',
  fc.tuple(
    anyCommand,
    anyState,
    fc.oneof(
      anyText,
      anyJson.map((value) => JSON.stringify(value)),
    ),
  ),
  ([name, state, metadata]) => {
    const command = commandNamed(name);
    const fileOf: Parameters<typeof formValues>[2] = ({ id = '', name, mimetype = '', size = 0 }) => ({
      name: name ?? '',
      contentType: mimetype,
      size,
      source: id,
    });
    checkParsed(name, formValues(state, command, fileOf));
    const origin = readOrigin(metadata);
    if (origin) assert.equal(typeof origin.channel, 'string');
  },
);
