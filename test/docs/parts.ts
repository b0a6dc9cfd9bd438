import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { commands } from '../../commands/index.ts';
import { type Setting, settings } from '../../src/config/settings.ts';
import { counters, gauges, histograms, type Metric } from '../../src/lib/telemetry.ts';
import { inherit } from '../../src/place-settings/index.ts';
import type { Option } from '../../src/port/index.ts';
import { ratesPerMinute, video } from '../../src/service-rules/limits.ts';
import {
  chatCreditsPerMillionTokens,
  type CreditRange,
  imageCredits,
  speechCreditsPerSecond,
  videoCreditsPerSecond,
} from '../../src/service-rules/prices.ts';
import { usualReadings as discordReadings } from '../fakes/discord/readings.ts';
import { usualReadings as slackReadings } from '../fakes/slack/readings.ts';
import { picture } from './picture.ts';

const metrics = Object.entries<Metric>({ ...counters, ...histograms, ...gauges });

/** A label with its values, unless it had them where it last appeared. Every platform is a value of `platform`. */
function labelIn(metric: string, label: string, values: Metric['labels'][string] | undefined): string {
  if (!values || label === 'platform') return label;
  const above = metrics.slice(
    0,
    metrics.findIndex(([name]) => name === metric),
  );
  const last = above.findLast(([, { labels }]) => labels[label])?.[1].labels[label];
  return last?.join() === values.join() ? label : `${label} (${values.filter(Boolean).join(', ')})`;
}

/** Every setting, by name. */
export const allSettings = Object.entries(settings as Record<string, Setting>);

/** A default that is a value; nothing for one that is told in words. */
export const valueIn = (standard: string): string => /^`([^`]*)`$/.exec(standard)?.[1] ?? '';

/** What is written between `<!-- name words -->` and `<!-- /name -->`, by name, from the words. */
export const parts: Readonly<Record<string, (words: readonly string[]) => string>> = {
  picture,
  settings: (prefixes) =>
    settingsOf(prefixes)
      .map(([name, { meaning, allowed, default: standard }]) => {
        const value = valueIn(standard);
        if (value) return `- \`${name}=${value}\`: ${meaning}. *${allowed}*`;
        const otherwise = standard.replace(/^(?!unset)/, 'default: ').replace(/^unset$/, '');
        return `- \`${name}\`: ${meaning}. *${allowed}*${otherwise && `; ${otherwise}`}`;
      })
      .join('\n'),
  commands: () => commands.map(({ name }) => `[\`/${name}\`](#${name})`).join(', '),
  options: ([name]) => {
    const command = commands.find((one) => one.name === name);
    if (!command) throw new Error(`there is no command ${name}`);
    // The page says that /settings has the options of /me, and those of /video.
    const above = name === 'settings' ? commands.find((one) => one.name === 'me')?.options : undefined;
    const shown = Object.entries(command.options).filter(
      ([option, { type }]) =>
        // The page tells of these once.
        !(type === 'boolean' && ['private', 'spoiler'].includes(option)) &&
        (!above || !(option in above || option.startsWith('video_'))),
    );
    return families(shown)
      .map(([names, { description, ...option }]) => {
        const required = option.required ? ' (required)' : '';
        const allowed = allowedIn(option);
        return `- ${names}${required}: ${description.en}${allowed && `. *${allowed}*`}`;
      })
      .join('\n');
  },
  metrics: () =>
    metrics
      .map(([name, { help, labels }]) => {
        const all = Object.entries(labels).map(([label, values]) => labelIn(name, label, values));
        const shown = all.length > 0 ? `. *${all.join('; ')}*` : '';
        return `- \`${name}\`: ${help.replaceAll('"', '`')}${shown}`;
      })
      .join('\n'),
  open: ([platform]) =>
    [...Map.groupBy(openRules(platform === 'slack' ? 'slack' : 'discord'), ({ reading }) => reading)]
      .map(([reading, rules]) =>
        [`By default ${reading}:\n`, ...rules.map(({ rule }) => `- ${rule}`)].join('\n'),
      )
      .join('\n\n'),
  facts: ([platform = '']) =>
    [...Map.groupBy(factsOf(platform), ({ file }) => file)]
      .map(([file, facts]) => {
        const told = facts.map(({ fact }) => fact).join('. ');
        return `- ${told}: [${basename(file, '.test.ts')}](../${file})`;
      })
      .join('\n'),
  prices: () =>
    [
      table(
        ['chat, per million tokens', 'input', 'cache read', 'cache creation', 'output'],
        Object.entries(chatCreditsPerMillionTokens).map(([model, rates]) => [
          `\`${model}\``,
          ...[rates.input, rates.cacheRead, rates.cacheCreation, rates.output].map(rangeOf),
        ]),
      ),
      table(
        ['video, per second', ...video.resolutions],
        Object.entries(videoCreditsPerSecond).map(([mode, prices]) => [
          mode === 'reference' ? 'edited, or from a reference video' : `\`${mode}\``,
          ...video.resolutions.map((resolution) => String(prices[resolution])),
        ]),
      ),
      [
        `- speech, per second, rounded up, at least one: ${speechCreditsPerSecond}`,
        `- an image: ${imageCredits}`,
      ].join('\n'),
    ].join('\n\n'),
  limits: () =>
    `The key’s requests a minute, over all people: ${Object.entries(ratesPerMinute)
      .map(([group, rate]) => `${group} ${rate}`)
      .join(', ')}.`,
};

const readings = { discord: discordReadings, slack: slackReadings };
/** The comment of a property, and its name. */
const commentPattern = /^ {2}\/\*\*((?:(?!\*\/)[\s\S])+)\*\/\n {2}(\w+):/gm;

/** What a platform’s documentation leaves open: what the bot finds out, and what its test server can read either way. */
function openRules(platform: keyof typeof readings) {
  const files = [`src/platforms/${platform}/api/errors.ts`, `test/fakes/${platform}/readings.ts`];
  const source = files
    .map((file) => readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8'))
    .join('');
  const comments = new Map(
    [...source.matchAll(commentPattern)].map(([, comment = '', name]) => [
      name,
      comment
        .replace(/\s+(?:\* )?/g, ' ')
        .trim()
        .replace(/\.$/, ''),
    ]),
  );
  // A name without a comment shares the one before it.
  return Object.entries(readings[platform]).flatMap(([name, reading]) => {
    const rule = comments.get(name);
    return rule === undefined ? [] : [{ rule, reading }];
  });
}

/** A fact in front of the test that shows that the bot copes with it. */
const factPattern = /^ *\/\/ Fact: (.+(?:\n *\/\/ .+)*)/gm;

/** The facts about a platform, each with the file of its test. @throws if one is there twice or names no source. */
export function factsOf(platform: string): readonly { readonly fact: string; readonly file: string }[] {
  const root = resolve(import.meta.dirname, '../..');
  const facts = readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .filter((file) => file.includes(`/${platform}/`) && file.endsWith('.test.ts'))
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(factPattern)].map(([, fact = '']) => ({
        fact: fact.replace(/\n *\/\/ /g, ' '),
        file,
      })),
    );
  const wrong = facts.filter(
    ({ fact }, index) => !/ \(.{5,}\)$/.test(fact) || facts.findIndex((one) => one.fact === fact) !== index,
  );
  if (wrong.length > 0) throw new Error(`twice, or without a source: ${wrong[0]?.fact}`);
  return facts;
}

const partPattern = /<!-- ([a-z-]+)((?: [\w-]+)*) -->\n[\s\S]*?<!-- \/\1 -->/g;

/** A page with all its generated parts written anew. */
export function withParts(page: string): string {
  return page.replace(partPattern, (_, name: string, words: string) => {
    const content = parts[name];
    if (!content) throw new Error(`nothing makes the part ${name}`);
    return `<!-- ${name}${words} -->\n${content(wordsOf(words))}\n<!-- /${name} -->`;
  });
}

/** The parts that a page has. */
export function partsIn(
  page: string,
): readonly { readonly name: string; readonly words: readonly string[] }[] {
  return [...page.matchAll(partPattern)].map(([, name = '', words = '']) => ({
    name,
    words: wordsOf(words),
  }));
}

/** Settings whose name begins with one of the prefixes, in the order of the prefixes. */
export function settingsOf(prefixes: readonly string[]): typeof allSettings {
  return prefixes.flatMap((prefix) => allSettings.filter(([name]) => name.startsWith(prefix)));
}

const wordsOf = (words: string) => words.split(' ').filter(Boolean);
const figure = (count: number) => count.toLocaleString('en');
const rangeOf = ({ low, high }: CreditRange) =>
  low === high ? figure(low) : `${figure(low)}–${figure(high)}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Options that differ only by their number (`image_1`, `image_2` …) or their command (`users_ask` …) share a row. */
function families(options: readonly (readonly [string, Option])[]): readonly (readonly [string, Option])[] {
  const all = Map.groupBy(options, ([name]) => name.replace(/_\d+$|(?<=^users_)\w+$/, ''));
  return [...all.values()].flatMap((family) => {
    const [first, last] = [family[0], family.at(-1)];
    if (!first || !last) return [];
    return [[first === last ? `\`${first[0]}\`` : `\`${first[0]}\` … \`${last[0]}\``, first[1]] as const];
  });
}

/** What an option may be; nothing for one that’s true or false, as the page says. */
function allowedIn(option: Omit<Option, 'description'>): string {
  const definition = option as Option;
  switch (definition.type) {
    case 'choice':
      return choicesIn(definition.choices.filter((choice) => choice !== inherit));
    case 'integer':
    case 'number':
      return `${definition.min} to ${figure(definition.max)}`;
    case 'boolean':
      return '';
    case 'file':
      return definition.reach === 'address' ? `${definition.media} at a public https link` : definition.media;
    case 'addresses':
      return `up to ${definition.max}`;
    case 'text': {
      const { pattern, maxBytes, maxCharacters, suggest } = definition;
      if (suggest === 'voices') return 'one of `/voices`';
      if (pattern) return pattern.allowed.replace(`, ${inherit}`, '');
      if (maxBytes !== undefined) return `up to ${figure(maxBytes)} bytes of UTF-8`;
      return maxCharacters === undefined ? 'text' : `up to ${figure(maxCharacters)} characters`;
    }
  }
}

/** Choices one by one, whole numbers in a row as a range. */
function choicesIn(choices: readonly string[]): string {
  const isRange =
    choices.length > 2 && choices.every((choice, index) => Number(choice) === Number(choices[0]) + index);
  return isRange ? `${choices[0]} to ${choices.at(-1)}` : choices.map((choice) => `\`${choice}\``).join(', ');
}
