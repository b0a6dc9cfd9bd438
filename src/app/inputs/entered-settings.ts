import {
  type Choices,
  definitions,
  inherit,
  isOffQuarter,
  type PlaceSettings,
  type SettingName,
} from '../../place-settings/index.ts';
import type { AnyValues, Job } from '../../port/index.ts';
import type { Words } from '../../words/index.ts';
import type { CommandDependencies } from '../define-command.ts';
import { InputError } from '../faults/explain.ts';
import { ceilingInWords, isPersonal, type Scope, scopeOf } from '../presenters/settings-pages.ts';

/** Only administrators change more than their own direct messages. @throws {InputError} in direct messages. */
export function requireAdministrator({ requester }: Pick<Job, 'requester'>): void {
  if (requester.direct) throw new InputError((say) => say.spending.settings.notHere);
}

/**
 * Makes the choices entered for a job's channel or workspace.
 * @returns what to say about it.
 * @throws {InputError} if one of them isn't allowed; then nothing is changed.
 */
export async function choose(
  job: Job,
  entered: AnyValues,
  { placeSettings, voiceList }: CommandDependencies,
  say: Words,
): Promise<string> {
  if (!Object.keys(entered).every((name) => isPersonal(name as SettingName))) requireAdministrator(job);
  const choices = read(entered, placeSettings);
  const { voice } = choices;
  if (voice !== undefined && !voiceList.find(voice))
    throw new InputError(({ spending }) => spending.settings.unknownVoice(voice));
  const changed: SettingName[] = [];
  for (const scope of ['channel', 'workspace'] as const) {
    const ofScope = Object.entries(choices).filter(([name]) => scopeFor(name as SettingName, job) === scope);
    const made = Object.fromEntries(ofScope) as Choices;
    changed.push(...(await placeSettings.choose(job.address, scope, made, job.requester)));
  }
  const { settings } = say.spending;
  if (changed.length === 0) return settings.unchanged;
  return settings.changed(changed.map((name) => `\`${say.optionName(name)}\``).join(', '));
}

/** A setting of the whole workspace is chosen for it, wherever it's entered. */
function scopeFor(name: SettingName, job: Job): Scope {
  return definitions[name].scope === 'workspace' ? 'workspace' : scopeOf(job);
}

function read(entered: AnyValues, placeSettings: PlaceSettings): Choices {
  const choices = Object.entries(entered).map(([name, given]) => [
    name,
    readOne(name as SettingName, String(given).trim(), placeSettings),
  ]);
  return Object.fromEntries(choices) as Choices;
}

/** The value of what was entered for a setting; undefined takes the choice back. */
function readOne(name: SettingName, text: string, placeSettings: PlaceSettings): unknown {
  if (text === inherit) return undefined;
  const definition = definitions[name];
  const value = definition.read(text);
  const ceiling = placeSettings.ceilingOf(name);
  if (ceiling !== undefined && Number(value) > ceiling)
    throw new InputError((say) =>
      say.spending.settings.overCeiling(say.optionName(name), ceilingInWords(ceiling, say)),
    );
  if (value !== undefined) return value;
  if (name === 'time_zone' && isOffQuarter(text))
    throw new InputError((say) => say.spending.settings.offQuarter(text));
  const fault = { option: name, code: 'wrong-form', given: text, allowed: definition.allowed } as const;
  throw new InputError((say) => say.faults('settings', [fault]));
}
