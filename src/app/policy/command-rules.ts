import { BudgetExceededError, type Credits } from '../../credits/index.ts';
import type { EffectiveSettings, PlaceSettings, SettingValues } from '../../place-settings/index.ts';
import {
  type AnyCommand,
  type AnyValues,
  type Caller,
  type CommandRules,
  type Person,
  placeKey,
  type Refusal,
} from '../../port/index.ts';
import type { KeyHealth, Operation } from '../../service/index.ts';
import type { CreditRange } from '../../service-rules/prices.ts';
import { creditsInWords, type Words, words } from '../../words/index.ts';
import { budgetExceeded } from '../presenters/budget-sentences.ts';
import type { Operators } from './operators.ts';

export interface PlaceRulesDependencies {
  readonly places: PlaceSettings;
  readonly operators: Pick<Operators, 'see'>;
  readonly credits: Pick<Credits, 'requireRoom'>;
  readonly key: Pick<KeyHealth, 'blocks'>;
  /** True once for a name, and again when some minutes have gone by. */
  readonly firstTime: (name: string) => Promise<boolean>;
}

/** Which operation of the service a command is carried out by. */
const operations: Readonly<Record<string, Operation>> = {
  ask: 'chat',
  speak: 'speech',
  imagine: 'image',
  video: 'video',
};

/** The rules of places: what is on, for whom, with which choices, within which budgets, and what is asked first. */
export function commandRules<Dependencies>(
  dependencies: PlaceRulesDependencies,
): CommandRules<Dependencies, EffectiveSettings> {
  return async (command, given, asker) => {
    const say = words(asker.requester.locale, asker.address.platform);
    await dependencies.operators.see(asker.requester, asker.address);
    const settings = await dependencies.places.at(asker.address);
    const { values: here } = settings;
    // What the command is, and what it does with these values.
    const names = [command.name, actsAs(command, given) ?? command.name];
    const off = names.find((name) => here.off.some((one) => one === name));
    if (off !== undefined) return refusal(`off ${off}`, say.spending.commandOff(off), asker, dependencies);
    const closed = names.find((name) => !mayUse(name, here, asker.requester));
    if (closed !== undefined)
      return refusal(`kept ${closed}`, say.spending.commandNotForYou(closed), asker, dependencies);
    const values = withChoices(command.name, given, here);
    const price = priceOf(command, values);
    if (!price) return { kind: 'allowed', values, settings };
    const name = names[1] ?? command.name;
    const refused =
      (await useless(name, asker, dependencies, say)) ?? (await tooDear(price, asker, dependencies, say));
    if (refused) return refused;
    if (price.high <= here.confirm_over) return { kind: 'allowed', values, settings };
    const question = say.spending.confirm(name, creditsInWords(price, say.locale));
    return { kind: 'allowed', values, settings, question };
  };
}

function priceOf<Dependencies>(
  command: AnyCommand<Dependencies>,
  values: AnyValues,
): CreditRange | undefined {
  // The values were checked against this very command's definition, which is what its type says.
  return command.price?.(values as never);
}

function actsAs<Dependencies>(command: AnyCommand<Dependencies>, values: AnyValues): string | undefined {
  // As with the price.
  return command.actsAs?.(values as never);
}

function mayUse(name: string, here: SettingValues, { id, roles = [], administrator }: Person): boolean {
  const users: Readonly<Record<string, readonly string[]>> = {
    ask: here.users_ask,
    speak: here.users_speak,
    imagine: here.users_imagine,
    video: here.users_video,
  };
  const allowed = users[name] ?? [];
  return allowed.length === 0 || administrator || [id, ...roles].some((one) => allowed.includes(one));
}

/** The values given, and the place's choices for the others: what is on record is then all that was asked for. */
function withChoices(name: string, given: AnyValues, here: SettingValues): AnyValues {
  switch (name) {
    case 'ask':
      return { model: here.model, ...given };
    case 'speak':
      if (given.voice !== undefined) return given;
      return { voice: here.voice, ...(here.language !== '' && { language: here.language }), ...given };
    case 'imagine':
      return { size: here.image_size, ...given };
    case 'video':
      return {
        duration: here.video_duration,
        resolution: here.video_resolution,
        quality: here.video_quality,
        ratio: here.video_ratio,
        generate_audio: here.video_audio,
        ...given,
      };
    default:
      return given;
  }
}

/** While the key is not accepted, or cannot pay: nothing is sent. Which of them it is only operators are told. */
async function useless(
  name: string,
  { address }: Caller,
  { key, firstTime }: PlaceRulesDependencies,
  { errors }: Words,
): Promise<Refusal | undefined> {
  const operation = operations[name];
  if (!operation || !key.blocks(operation)) return undefined;
  const { platform, workspace, channel } = address;
  const repeated = !(await firstTime(`unavailable ${platform} ${workspace} ${channel}`));
  return { kind: 'refused', text: errors.unavailable, ...(repeated && { repeated }) };
}

async function tooDear(
  price: CreditRange,
  asker: Caller,
  dependencies: PlaceRulesDependencies,
  say: Words,
): Promise<Refusal | undefined> {
  try {
    await dependencies.credits.requireRoom(asker, price.high);
    return undefined;
  } catch (error) {
    if (error instanceof BudgetExceededError)
      return refusal('budget', budgetExceeded(error, say, asker.requester), asker, dependencies);
    throw error;
  }
}

/** Tells one person why not. Where they heard it in this place a moment ago, and no answer is owed, it isn't repeated. */
async function refusal(
  why: string,
  text: string,
  { address, requester }: Caller,
  { firstTime }: PlaceRulesDependencies,
): Promise<Refusal> {
  const repeated = !(await firstTime(`refused ${why} ${placeKey(address)} ${requester.id}`));
  return { kind: 'refused', text, ...(repeated && { repeated }) };
}
