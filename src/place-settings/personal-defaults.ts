import { type Address, canBePrivate, type PlatformName } from '../port/index.ts';
import { type AnyDefinition, definitions, onOrOff, type SettingValues } from './definitions.ts';

/** People's own settings, by the name they're entered and stored under. */
export const personalDefinitions = {
  model: definitions.model,
  voice: definitions.voice,
  language: definitions.language,
  image_size: definitions.image_size,
  private: onOrOff({
    en: 'Whether only you see my answers, unless you say otherwise',
    'zh-CN': '我给你的回答是否默认只有你能看到',
  }),
} as const satisfies Record<string, AnyDefinition>;

export type PersonalName = keyof typeof personalDefinitions;
export const personalNames = Object.keys(personalDefinitions) as PersonalName[];

/** Somebody's own settings. */
export type PersonalDefaults = {
  readonly [Name in PersonalName]?: NonNullable<ReturnType<(typeof personalDefinitions)[Name]['read']>>;
};

/** The change; undefined undoes a choice. */
export type PersonalChoices = { readonly [Name in PersonalName]?: PersonalDefaults[Name] | undefined };

/** Platforms on which a person has the same id everywhere. */
const withGlobalIds: readonly PlatformName[] = ['discord', 'console'];

/** Whose defaults: on some platforms a person is known everywhere, on others in a workspace. */
export function personKey({ platform, workspace }: Address, person: string) {
  const home = withGlobalIds.includes(platform) ? '' : workspace;
  return { platform: platform as string, workspace: home, person };
}

/** Reads stored rows; a value that isn't allowed any more counts as not chosen. */
export function personalDefaultsIn(
  rows: readonly { readonly name: string; readonly value: string }[],
): PersonalDefaults {
  const chosen = rows.flatMap(({ name, value }): [string, unknown][] => {
    if (!isPersonalName(name)) return [];
    const parsed: unknown = JSON.parse(value);
    return personalDefinitions[name].read(writtenPersonally(name, parsed)) === undefined
      ? []
      : [[name, parsed]];
  });
  return Object.fromEntries(chosen) as PersonalDefaults;
}

/** A value as it's entered. */
export function writtenPersonally(name: PersonalName, value: unknown): string {
  // Each value was read by its own definition, which is what the type of the pair says.
  return (personalDefinitions[name].write as (value: unknown) => string)(value);
}

/** The settings of a place with what a person chose for themselves instead. A language belongs to its voice. */
export function withPersonal<S extends { readonly values: SettingValues }>(
  settings: S,
  personal: PersonalDefaults,
): S {
  const { private: _, ...chosen } = personal;
  const language = chosen.voice === undefined ? {} : { language: '' };
  return { ...settings, values: { ...settings.values, ...language, ...chosen } };
}

/** Whether a command is private by what its requester chose; nothing where they are alone with the bot anyway. */
export function privateByDefault(
  command: Parameters<typeof canBePrivate>[0],
  personal: PersonalDefaults,
  { direct }: { readonly direct?: true },
): { readonly private?: boolean } {
  const applies = personal.private !== undefined && canBePrivate(command) && !direct;
  return applies ? { private: personal.private } : {};
}

function isPersonalName(name: string): name is PersonalName {
  return Object.hasOwn(personalDefinitions, name);
}
