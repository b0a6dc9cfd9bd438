import { BudgetExceededError, type Credits } from '../../credits/index.ts';
import type { CommandRules, Refusal } from '../../engine/index.ts';
import {
  type EffectiveSettings,
  type PersonalDefaults,
  type PlaceSettings,
  privateByDefault,
  usersSettingOf,
  withPersonal,
} from '../../place-settings/index.ts';
import { type Caller, commandFor, conversationKey, type Person } from '../../port/index.ts';
import type { KeyHealth } from '../../service/index.ts';
import type { PaidOperation } from '../../service-rules/operations.ts';
import type { CreditRange } from '../../service-rules/prices.ts';
import { creditsInWords, type Words, words } from '../../words/index.ts';
import { type BudgetsFor, budgetExceeded } from './budgets.ts';
import type { Operators } from './operators.ts';

export interface CommandRulesDependencies {
  readonly placeSettings: PlaceSettings;
  /** False where the service would certainly refuse a voice. */
  readonly mayHaveVoice: (id: string) => Promise<boolean>;
  readonly operators: Pick<Operators, 'see'>;
  readonly credits: Pick<Credits, 'requireRoom'>;
  readonly budgetsFor: BudgetsFor;
  readonly key: Pick<KeyHealth, 'blocks'>;
  /** Whether people who are no full members of a workspace can use what costs credits. */
  readonly outsidersMaySpend: boolean;
  /** True the first time for a name, and again after some minutes. */
  readonly firstTime: (name: string) => Promise<boolean>;
}

/** The rules of places: what is on, for whom, with which choices, within which budgets, and what needs confirmation. */
export function commandRules(dependencies: CommandRulesDependencies): CommandRules {
  return async (command, given, caller) => {
    const { address, requester } = caller;
    const say = words(requester.locale, address.platform);
    await dependencies.operators.see(requester, address);
    const read = await dependencies.placeSettings.forPerson(address, requester.id);
    const operation = command.operation?.(given);
    const personal = await stillValid(read.personal, operation, dependencies);
    const settings = withPersonal(read.settings, personal);
    const mainName = operation ? commandFor[operation] : command.name;
    const names = [command.name, mainName];
    const off = names.find((name) => settings.values.off.some((one) => one === name));
    if (off !== undefined) return refusal(`off ${off}`, say.spending.commandOff(off), caller, dependencies);
    if (operation && requester.outsider && !dependencies.outsidersMaySpend)
      return refusal('outsider', say.spending.membersOnly(mainName), caller, dependencies);
    if (operation && !mayUse(operation, settings, requester)) {
      const text = say.spending.commandNotForYou(mainName);
      return refusal(`kept ${mainName}`, text, caller, dependencies);
    }
    // A yes to an earlier price says nothing about this one.
    const { confirmed: _, ...chosen } = given;
    const values = {
      ...command.defaults?.(settings, given),
      ...privateByDefault(command, personal, requester),
      ...chosen,
    };
    const price = await command.price?.(values, { address, requester, settings });
    if (!price) return { kind: 'allowed', values, settings };
    const refused =
      (operation && (await keyBlocks(operation, caller, dependencies, say))) ??
      (await overBudget(price, settings, caller, dependencies, say));
    if (refused) return refused;
    const limit = settings.values.confirm_over;
    const cost = creditsInWords(price, say.locale);
    if (price.high <= limit) return { kind: 'allowed', values, settings, cost };
    if (caller.unattended)
      return {
        kind: 'refused',
        reason: 'budget',
        text: say.spending.nobodyConfirms(
          mainName,
          cost,
          creditsInWords({ low: limit, high: limit }, say.locale),
        ),
      };
    const isByLength = operation === 'chat';
    const question = (isByLength ? say.spending.confirmChat : say.spending.confirm)(mainName, cost);
    // Others may say more before it's confirmed: its turn takes at most twice the price that's told.
    const promised = isByLength ? { confirmed: price.high } : undefined;
    const asked = { values: { ...values, ...promised }, ...(promised && { promised }) };
    return { kind: 'allowed', ...asked, settings, cost, question };
  };
}

/** A voice that the service doesn't have any more counts as not chosen. */
async function stillValid(
  personal: PersonalDefaults,
  operation: PaidOperation | undefined,
  { mayHaveVoice }: CommandRulesDependencies,
): Promise<PersonalDefaults> {
  const { voice, ...others } = personal;
  if (voice === undefined || operation !== 'speech' || (await mayHaveVoice(voice))) return personal;
  return others;
}

function mayUse(
  operation: PaidOperation,
  { values }: EffectiveSettings,
  { id, roles = [], administrator }: Person,
): boolean {
  const allowed = values[usersSettingOf(commandFor[operation])];
  return allowed.length === 0 || administrator || [id, ...roles].some((one) => allowed.includes(one));
}

/** While the key isn't accepted, or can't pay, nothing is sent. Only operators are told which of the two it is. */
async function keyBlocks(
  operation: PaidOperation,
  { address, instead }: Caller,
  { key, firstTime }: CommandRulesDependencies,
  { errors }: Words,
): Promise<Refusal | undefined> {
  if (!key.blocks(operation)) return undefined;
  const { platform, workspace, channel } = address;
  const repeated = !instead && !(await firstTime(`unavailable ${platform} ${workspace} ${channel}`));
  return { kind: 'refused', text: errors.unavailable, reason: 'key', ...(repeated && { repeated }) };
}

async function overBudget(
  price: CreditRange,
  settings: EffectiveSettings,
  caller: Caller,
  dependencies: CommandRulesDependencies,
  say: Words,
): Promise<Refusal | undefined> {
  const { credits, budgetsFor } = dependencies;
  try {
    await credits.requireRoom(caller, budgetsFor(caller.requester, settings), price.high);
    return undefined;
  } catch (error) {
    if (error instanceof BudgetExceededError)
      return refusal('budget', budgetExceeded(error, say, caller.requester), caller, dependencies);
    throw error;
  }
}

/** Tells one person why not. If they were told in this place a moment ago, and no answer is owed, it isn't repeated. */
async function refusal(
  why: string,
  text: string,
  { address, requester, instead }: Caller,
  { firstTime }: CommandRulesDependencies,
): Promise<Refusal> {
  const repeated =
    !instead && !(await firstTime(`refused ${why} ${conversationKey(address)} ${requester.id}`));
  const reason = why === 'budget' ? 'budget' : 'rules';
  return { kind: 'refused', text, reason, ...(repeated && { repeated }) };
}
