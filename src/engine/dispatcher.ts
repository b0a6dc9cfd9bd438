import { sleep } from '../lib/clock.ts';
import {
  actionId,
  type Address,
  assignFiles,
  channelKey,
  type CommandCall,
  type CommandRequest,
  conversationKey,
  type Decision,
  type DeletedMessages,
  type HeldRequest,
  type Job,
  type Locale,
  mayUse,
  type MeantCommand,
  type MessageAddress,
  parseActionId,
  type PlatformName,
  type PreparedRequest,
  type PressRequest,
  seenBy,
  type Suggestion,
} from '../port/index.ts';
import { decisionIn } from '../words/decisions.ts';
import { type Words, words } from '../words/index.ts';
import { admit, Backlog, OrderedStart, refusedFor, type StartTurn } from './admission.ts';
import { ButtonActions } from './button-actions.ts';
import type { CommandInFlight } from './command-watch.ts';
import type { Admitted, Command, DispatcherDependencies, Refusal } from './command.ts';
import { type MessageCommandRequest, MessageCommands } from './message-commands.ts';
import { type QuestionAnswer, questionLife, Questions } from './questions.ts';
import { Runner } from './runner.ts';
import { withSuggested } from './suggestions.ts';

/** Waits between looks for what's about to be on record, in milliseconds: who records it may as well refuse it, or die. */
const looksForRecord = [25, 50, 100, 200, 400];

/** The dispatcher as platforms use it. */
export type CommandDispatcher = Omit<Dispatcher, 'questionOf' | 'stop'>;

/** Hands what platforms receive to the commands: checked, recorded, answered once. */
export class Dispatcher {
  readonly commands: readonly Command[];
  readonly #dependencies: DispatcherDependencies;
  readonly #runner: Runner;
  readonly #questions: Questions;
  readonly #answersInWords: AnswersInWords;
  readonly #buttonActions: ButtonActions;
  readonly #messageCommands: MessageCommands;
  readonly #starts: OrderedStart;
  readonly #backlog: Backlog;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
    this.commands = dependencies.commands;
    this.#backlog = new Backlog(dependencies.clock, dependencies.elsewhere);
    this.#runner = new Runner(dependencies);
    this.#questions = new Questions(dependencies, this.#runner, this.#backlog);
    this.#answersInWords = new AnswersInWords(dependencies);
    this.#buttonActions = new ButtonActions(dependencies, this.#runner, this.#questions, this.#backlog);
    this.#messageCommands = new MessageCommands(dependencies, this.#runner);
    this.#starts = new OrderedStart(dependencies.clock);
  }

  /**
   * Takes a turn for a person's event in a channel as soon as it arrives, so later events don't overtake it while the
   * platform looks something up. Leave the turn if no command follows.
   */
  takeTurn(person: string, address: Address): StartTurn {
    return this.#starts.takeTurn(`${person} ${channelKey(address)}`);
  }

  /**
   * Leaves a turn whose event another process answers, as soon as that has recorded it: this person's later events here
   * come after it, whichever process takes them.
   */
  async leaveToOther(turn: StartTurn, eventId: string): Promise<void> {
    const { jobs, clock } = this.#dependencies;
    using left = turn;
    for (const wait of looksForRecord) {
      await sleep(clock, wait);
      // Claimed: it has come to this process after all, which records it in its turn.
      if (left.claimed || (await jobs.ofEvent(eventId))) return;
    }
  }

  /**
   * Checks a command against its definition and the rules of its place. Nothing is stored or spent until the
   * returned request is recorded or run. Fast enough for a platform's three seconds; call it in order of arrival, or
   * with a turn taken before.
   */
  prepare(
    request: CommandRequest,
    turn = this.takeTurn(request.requester.id, request.address),
  ): Promise<HeldRequest> {
    turn.claimed = true;
    return this.#runner.requests.hold(() => this.#prepareInTurn(request, turn));
  }

  /** See {@link prepare}. */
  async #prepareInTurn(request: CommandRequest, turn: StartTurn): Promise<PreparedRequest> {
    if (request.requester.bot) return this.#prepareForBot(request, turn);
    const press = await this.#answersInWords.pressInWords(request);
    if (press) turn.leave();
    if (press === 'repeated') return { kind: 'refused', text: '', repeated: true };
    if (press) return this.#buttonActions.prepare(press);
    const prepared = await this.#watch(request, turn);
    if (prepared.kind !== 'accepted') turn.leave();
    return prepared;
  }

  /** Another bot may ask; a word about why not would only be the next thing it answers. */
  async #prepareForBot(request: CommandRequest, turn: StartTurn): Promise<PreparedRequest> {
    const { bots } = this.#dependencies;
    const { eventId, address } = request;
    const isAnswered = (await this.answersBots(address)) && (await bots?.takesTurn(eventId, address));
    const prepared: PreparedRequest = isAnswered
      ? await this.#watch({ ...request, unattended: true }, turn)
      : { kind: 'refused', text: '' };
    if (prepared.kind !== 'accepted') turn.leave();
    return prepared.kind === 'refused' ? { ...prepared, repeated: true } : prepared;
  }

  /** Whether a message is a question of the bot's that waits for its answer: what replies to it is for the bot. */
  async isQuestion(platform: PlatformName, message: string): Promise<boolean> {
    const { answers, jobs } = this.#dependencies;
    const named = await jobs.named(await answers.jobsWith({ platform, messages: [message] }), []);
    return named.some(({ job, state }) => !job.deleted && (state === 'asking' || state === 'asked'));
  }

  /** Whether the command of an event is on record. */
  async isRecorded(eventId: string): Promise<boolean> {
    return (await this.#dependencies.jobs.ofEvent(eventId)) !== undefined;
  }

  /** Whether a message that was written then has given a command or answered a question, however long ago. */
  async isHandled(eventId: string, writtenAt: number): Promise<boolean> {
    const { jobs } = this.#dependencies;
    return (await this.isRecorded(eventId)) || jobs.hasAnswered(eventId, writtenAt - 2 * questionLife);
  }

  /** Whether other bots are answered somewhere that mention this one. */
  async answersBots(address: Address): Promise<boolean> {
    return (await this.#dependencies.bots?.areAnswered(address)) === true;
  }

  /** Where the command was given whose button this is; undefined for one that nobody knows any more. */
  async askedAt(actionId: string): Promise<Address | undefined> {
    const id = parseActionId(actionId);
    return id && (await this.#dependencies.jobs.find(id.jobId))?.address;
  }

  /** See {@link Questions.questionOf}. */
  questionOf(job: Job): ReturnType<Questions['questionOf']> {
    return this.#questions.questionOf(job);
  }

  /** Finds out what a pressed button wants. Quick enough for a platform's three seconds. */
  preparePress(request: PressRequest): Promise<HeldRequest> {
    return this.#runner.requests.hold(() => this.#buttonActions.prepare(request));
  }

  /** Messages were deleted on a platform, by whomever: what is being answered there stops. */
  async deleted(messages: DeletedMessages): Promise<void> {
    await this.#dependencies.deleted?.(messages);
  }

  /** Opens the form of a command that somebody chose in the menu of a message. Quick enough for three seconds. */
  prepareFromMessage(request: MessageCommandRequest): Promise<HeldRequest> {
    return this.#runner.requests.hold(() => this.#messageCommands.prepare(request));
  }

  /** See {@link MessageCommands.typed}. */
  typedForm(...form: Parameters<MessageCommands['typed']>): ReturnType<MessageCommands['typed']> {
    return this.#messageCommands.typed(...form);
  }

  /** Suggestions for an option while it is typed, at most 25. Quick enough for a platform's three seconds. */
  async suggest(
    commandName: string,
    optionName: string,
    typed: string,
    locale: Locale,
    address: Address,
  ): Promise<readonly Suggestion[]> {
    const option = this.#runner.find(commandName)?.options[optionName];
    if (option?.type !== 'text' || !option.suggest) return [];
    return (await this.#dependencies.suggest(option.suggest, typed, locale, address)).slice(0, 25);
  }

  /**
   * Refuses new commands, asking people to try again later, and waits for running ones; when `patience` resolves, those
   * are aborted.
   */
  stop(patience: Promise<unknown> = Promise.resolve()): Promise<void> {
    return this.#runner.stop(patience);
  }

  /** Prepares what is a command for the bot; one that's refused has ended. */
  async #watch(request: CommandRequest, turn: StartTurn): Promise<PreparedRequest> {
    if (request.isUnmentioned && (await this.#dependencies.mentionOnly?.(request.address)))
      return { kind: 'refused', text: '', repeated: true };
    const meant = await this.#possible(request);
    const inFlight = this.#runner.arrived(meant.command, meant, turn.since);
    return inFlight.preparing(() => this.#prepare(meant, turn, inFlight));
  }

  /** Nobody is asked about a command that would be refused: then the other one was meant. */
  async #possible(request: CommandRequest): Promise<CommandRequest> {
    const { instead, files: _, added: __, ...others } = request;
    if (!instead) return request;
    const admitted = await this.#admitted(request, words(request.requester.locale));
    return admitted.kind === 'allowed' ? request : { ...others, ...instead };
  }

  /** The other command that a message may have meant. */
  #otherCall({ command, options, added }: MeantCommand): CommandCall | undefined {
    const read = this.#runner.known(command).read(options, added);
    return 'faults' in read ? undefined : { command, options: read.values };
  }

  async #prepare(
    received: CommandRequest,
    turn: StartTurn,
    inFlight: CommandInFlight,
  ): Promise<PreparedRequest> {
    const say = words(received.requester.locale, received.address.platform);
    if (this.#runner.stopping) return { kind: 'refused', text: say.shuttingDown, reason: 'shutdown' };
    const request =
      received.draft === undefined
        ? received
        : await this.#messageCommands.submitted(received, received.draft);
    if (!request) return { kind: 'refused', text: say.draftExpired, reason: 'expired' };
    const verdict = await this.#admitted(request, say);
    if (verdict.kind !== 'allowed') return this.#unlessBegun(request, verdict, inFlight);
    const { command, question, values } = verdict;
    const instead = request.instead && this.#otherCall(request.instead);
    const answerSeenBy = seenBy(command, values);
    if (question !== undefined || instead) {
      turn.leave();
      const asking = await this.#questions.ask(
        command,
        { ...verdict, ...(instead && { instead }) },
        request,
        inFlight,
      );
      if ('kind' in asking) return this.#unlessBegun(request, asking, inFlight);
      return { kind: 'accepted', seenBy: 'requester', answerSeenBy, ...asking };
    }
    const slot = await this.#backlog.enter(command, request);
    if ('kind' in slot) return this.#unlessBegun(request, slot, inFlight);
    return {
      kind: 'accepted',
      call: { command: command.name, options: values },
      seenBy: answerSeenBy,
      answerSeenBy,
      ...this.#runner.prepare(command, verdict, request, inFlight, { slot, turn }),
    };
  }

  /**
   * The refusal of a command, unless its event comes again and the command has begun: what that cost may be the very
   * reason. Where that can't be known it's an event like any other.
   */
  async #unlessBegun(
    request: CommandRequest,
    refusal: Refusal,
    inFlight: CommandInFlight,
  ): Promise<PreparedRequest> {
    if (refusal.repeated || refusal.reason === 'options') return refusal;
    const begun = await this.#runner.begun(request).catch(() => undefined);
    if (!begun) return refusal;
    inFlight.over('repeated');
    return begun;
  }

  /** Checks a command's options and the rules of its place. */
  async #admitted(
    request: CommandRequest,
    say: Words,
  ): Promise<Refusal | (Admitted & { readonly command: Command })> {
    const command = this.#runner.find(request.command);
    if (!command) return { kind: 'refused', text: say.unknownCommand(request.command), reason: 'options' };
    if (!mayUse(command, request.requester)) return { kind: 'refused', text: say.administratorsOnly };
    const assigned = assignFiles(command.options, request.options, request.files);
    if ('faults' in assigned) return refusedFor(command.name, assigned.faults, say);
    const read = command.read(assigned.values, request.added);
    if ('faults' in read) return refusedFor(command.name, read.faults, say);
    const { rules, suggest } = this.#dependencies;
    const values = await withSuggested(command.options, read.values, request.address, suggest);
    const faults = (await command.check?.(values)) ?? [];
    if (faults.length > 0) return refusedFor(command.name, faults, say);
    const verdict = await admit(rules, command, values, request);
    return verdict.kind === 'refused' ? verdict : { ...verdict, command };
  }
}

/** Finds the question that plain words answer. */
class AnswersInWords {
  readonly #dependencies: DispatcherDependencies;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The press that plain words stand for, in reply to a question or right after it in the same place, by the person who was
   * asked; `repeated` where they've answered one before, and undefined where they're a message like any other.
   */
  async pressInWords(request: CommandRequest): Promise<PressRequest | 'repeated' | undefined> {
    const { jobs, clock } = this.#dependencies;
    const { said, address, requester, eventId } = request;
    const decision = said && decisionIn(said.text);
    if (!decision) return undefined;
    // An answer may come until the question's time is over, and its event once more after that.
    if (await jobs.hasAnswered(eventId, clock.now() - 2 * questionLife)) return 'repeated';
    const job =
      said.replyTo === undefined
        ? await this.#askedLast(address, requester)
        : await this.#askedIn(address, said.replyTo);
    const answer = job?.requester.id === requester.id && answerOf(decision, job);
    if (!job || !answer || !isSameSession(job.address, address)) return undefined;
    if (said.writtenAt !== undefined && job.createdAt > said.writtenAt) return undefined;
    // One that only its person sees may have no address: it keeps its buttons, which order nothing any more.
    const message = (await this.#messageOf(job)) ?? { ...address, message: '' };
    return { eventId, actionId: actionId(job.command, answer, job.id), address, message, requester };
  }

  /**
   * The job about which a person was asked in the place where they write, if nothing else was given there since; in their
   * own direct messages with the bot, in any thread of those.
   */
  async #askedLast(address: Address, { id, direct }: CommandRequest['requester']): Promise<Job | undefined> {
    const { jobs, clock } = this.#dependencies;
    const isHere = (other: Address) => this.#placesOf(other).some((one) => here.includes(one));
    const here = this.#placesOf(address);
    const isInChannel = (other: Address) => channelKey(other) === channelKey(address);
    for (const job of await jobs.askedOf(id, clock.now() - questionLife))
      if (job.address.platform === address.platform && isHere(await this.#shownAt(job)))
        return (await jobs.isFollowed(job, direct ? isInChannel : isHere)) ? undefined : job;
    return undefined;
  }

  #placesOf(address: Address): readonly string[] {
    return this.#dependencies.adapters(address.platform)?.placesOf(address) ?? [conversationKey(address)];
  }

  /** Where a question stands: in the place that it's about, unless it was sent to its person's direct messages. */
  async #shownAt(job: Job): Promise<Address> {
    const message = await this.#messageOf(job);
    return message && channelKey(message) !== channelKey(job.address) ? message : job.address;
  }

  /** The message of a question, which people may answer a moment before it's on record. */
  async #messageOf({ id, isAsking }: Job): Promise<MessageAddress | undefined> {
    const { answers, clock } = this.#dependencies;
    let message = (await answers.messagesOf(id)).at(-1);
    for (const wait of isAsking ? looksForRecord : []) {
      if (message) break;
      await sleep(clock, wait);
      message = (await answers.messagesOf(id)).at(-1);
    }
    return message;
  }

  async #askedIn({ platform }: Address, message: string): Promise<Job | undefined> {
    const { jobs, answers } = this.#dependencies;
    for (const id of await answers.jobsWith({ platform, messages: [message] }))
      if (await jobs.awaitsConfirmation(id)) return jobs.find(id);
    return undefined;
  }
}

/** On the console everybody is the same person: what's private is its session's. */
function isSameSession({ onlyFor, platformData }: Address, other: Address): boolean {
  return onlyFor === undefined || platformData?.session === other.platformData?.session;
}

/** The button that says what words decide; undefined if there's none under a job's question. */
function answerOf(decision: Decision, { command, instead }: Job): QuestionAnswer | undefined {
  const isEither = instead !== undefined && instead.command !== command;
  if (decision.kind === 'order') return isEither && decision.command === command ? 'yes' : undefined;
  return (decision.kind === 'instead') === isEither ? decision.kind : undefined;
}
