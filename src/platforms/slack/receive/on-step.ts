import type { types } from '@slack/bolt';
import { GivenUpError } from '../../../engine/index.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import type { Address, CommandAbout, Person, RawValues } from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { typedName } from '../commands/slash-commands.ts';
import { typedText } from '../markup/incoming-text.ts';
import { answerHeader } from '../markup/message-formats.ts';
import { anyone, commandValues, namesIn } from '../people/people.ts';
import { nowhere, slackAddress } from '../post/address.ts';
import { isMember } from '../post/channels/channels.ts';
import { placeInputs, stepCommands } from '../steps/step-definitions.ts';
import { StepReply } from '../steps/step-records.ts';
import { slackWords } from '../words.ts';
import { directWith, membershipFor, refusalOf } from './channel-membership.ts';
import { type HandlerContext, quotedText, replyIn, sentenceFor } from './handler-context.ts';

/**
 * Handles a step of a workflow (function_executed) like its command. Resolves when it’s on record; how it ends, Slack
 * is told when its command has ended.
 */
export async function onStep(
  context: HandlerContext,
  event: types.FunctionExecutedEvent,
  workspace: string,
): Promise<void> {
  const { function_execution_id: execution, bot_access_token: token, inputs = {} } = event;
  const command = stepCommands(context.dispatcher.commands).find(
    ({ name }) => name === event.function.callback_id,
  );
  if (!command) return;
  const eventId = `slack:step:${execution}`;
  await context.arrivals.once(eventId, async () => {
    const requester = await personOf(context, workspace, inputs[placeInputs.person]);
    await context.steps.begin({
      ...{ execution, workspace, command: command.name, eventId, locale: requester.locale },
      begunAt: context.clock.now(),
      ...(token && { token }),
    });
    try {
      await handle(context, { command, eventId, execution, inputs, requester, workspace });
    } catch (error) {
      // The event comes again.
      if (isLocal(error) || error instanceof GivenUpError) throw error;
      context.log.error({ error }, 'a step of a workflow could not be handled');
      await context.steps.refuse(execution, sentenceFor(error, requester));
    }
  });
}

interface Step {
  readonly command: CommandAbout;
  readonly eventId: string;
  readonly execution: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly requester: Person;
  readonly workspace: string;
}

async function handle(context: HandlerContext, step: Step): Promise<void> {
  const { command, eventId, execution, requester } = step;
  const { steps, dispatcher, requests } = context;
  const place = await placeOf(context, step);
  const say = slackWords(requester.locale);
  if (!place) return steps.refuse(execution, say.stepNowhere);
  const { address, isPosted } = place;
  using turn = dispatcher.takeTurn(requester.id, address);
  const [options, refusal] = await Promise.all([
    valuesOf(context, step, address),
    isPosted ? refusalAt(context, step, address) : undefined,
  ]);
  if (refusal !== undefined) return await steps.refuse(execution, refusal);
  const request = {
    eventId,
    command: command.name,
    options,
    address,
    requester,
    unattended: true,
  } as const;
  await using prepared = await requests.prepare(
    { ...request, added: { workflow: execution }, acknowledgement: { step: execution } },
    turn,
  );
  if (prepared.kind === 'refused') return await steps.refuse(execution, prepared.text);
  if (prepared.kind !== 'accepted')
    return await steps.refuse(execution, words(requester.locale).errors.unexpected);
  await prepared.record();
  const header = answerHeader(
    requester,
    typedName(command.name, context.prefix),
    quotedText(command, options),
  );
  const posts = replyIn(context, { address, requester, eventId, seenBy: 'channel', header });
  const reply = new StepReply({
    ...(isPosted && { posts }),
    address,
    note: (said) => steps.note(execution, said),
  });
  void prepared
    .run(reply)
    .catch((error: unknown) => context.log.error({ error }, 'a step of a workflow failed'))
    .finally(() => steps.look(execution));
}

/** The person that the workflow's builder names, without what only administrators may: anybody can name one. */
async function personOf({ people }: HandlerContext, workspace: string, id: unknown): Promise<Person> {
  if (typeof id !== 'string' || id === '') return anyone;
  return { ...(await people.find(workspace, id)), administrator: false, moderator: false };
}

/** Where a step posts: in its channel, else in the person’s direct messages; text needs no place at all. */
async function placeOf(
  context: HandlerContext,
  { command, execution, inputs, requester, workspace }: Step,
): Promise<{ readonly address: Address; readonly isPosted: boolean } | undefined> {
  const channel = inputs[placeInputs.channel];
  if (typeof channel === 'string' && channel !== '')
    return { address: slackAddress(workspace, channel), isPosted: true };
  // Its own thread, so that no two steps share a conversation or wait for one another.
  if (!command.postsFiles) return { address: slackAddress(workspace, nowhere, execution), isPosted: false };
  if (requester.id === anyone.id) return undefined;
  const address = await directWith(context, workspace, requester.id);
  return address && { address, isPosted: true };
}

/**
 * Why a step posts nothing at an address: the bot may not, or the channel is private and its person isn’t in it.
 * @throws {PlatformError} if Slack doesn’t say who’s there.
 */
async function refusalAt(
  context: HandlerContext,
  { command, requester }: Step,
  address: Address,
): Promise<string | undefined> {
  const target = { address, user: requester.id, closed: false, hasResponseUrl: false };
  const membership = await membershipFor(context, command, target);
  const say = slackWords(requester.locale);
  const refusal = refusalOf(membership, say, await context.botName(address.workspace), 'channel');
  if (refusal !== undefined || !(await context.channels.isPrivate(address))) return refusal;
  const isThere = requester.id !== anyone.id && (await isMember(context.api, requester.id, address));
  return isThere ? undefined : say.stepNotThere;
}

/** The options, with names instead of ids in what a person or a model reads. */
async function valuesOf(
  context: HandlerContext,
  { command, inputs }: Step,
  address: Address,
): Promise<RawValues> {
  const given = Object.entries(inputs).filter(([name]) => Object.hasOwn(command.options, name));
  const read = given.flatMap(([name, value]): [string, RawValues[string]][] => {
    if (typeof value === 'number' || typeof value === 'boolean') return [[name, String(value)]];
    // What a workflow leaves empty isn’t given.
    if (typeof value !== 'string' || value.trim() === '') return [];
    return [[name, typedText(value).text]];
  });
  // Whatever the person chose for what they type: a workflow’s result is for everybody who reads it.
  const shared: RawValues = command.options.private ? { private: 'false' } : {};
  const all = given.map(([, value]) => (typeof value === 'string' ? value : '')).join(' ');
  const { text, labels } = typedText(all);
  return commandValues(
    command,
    { ...Object.fromEntries(read), ...shared },
    await namesIn(context, address, text, { labels }),
  );
}
