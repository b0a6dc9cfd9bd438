import { messageSource, quoted } from '../../../conversation/index.ts';
import {
  type CommandDispatcher,
  GivenUpError,
  heldToLimit,
  inResponseTime,
  type Prepares,
  type Waiting,
} from '../../../engine/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import {
  type AcceptedRequest,
  type Address,
  commandFor,
  draftFormId,
  type MeantCommand,
  parseDraftFormId,
  type Person,
  type PreparedRequest,
  type RawValues,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { spokenRequest } from '../../../words/spoken-request.ts';
import { richText } from '../api/markdown.ts';
import type { WireCommand, WireCommandRequest, WireOutcome, WirePressRequest } from '../api/wire.ts';
import { newDraft, previewOf } from '../feed/to-wire.ts';
import { incomingFile, visitor, workspace } from '../post/adapter.ts';
import { ConsoleReply, type ReplyDependencies } from '../reply/reply.ts';
import type { Place } from '../store/channels.ts';
import { extrasOf, type MessageRow, type NewMessage } from '../store/messages.ts';
import { quotedMessage, readValues, wireCommand, wireForm } from './request-values.ts';

/** Number of requests whose outcome is remembered, for a page that retries one. */
const remembered = 500;

/** The part of the dispatcher the console uses. */
export type Commands = Pick<
  CommandDispatcher,
  'commands' | 'prepare' | 'prepareFromMessage' | 'preparePress' | 'suggest'
>;

interface CommandHandlerDependencies extends ReplyDependencies {
  readonly dispatcher: Commands;
  /** How much a message that's replied to may add to a question, in estimated tokens. */
  readonly contextTokens: number;
  /** Whether people shouldn't wait for the database. */
  readonly isSilent: () => boolean;
}

/** Handles commands and button presses from pages, each event once. */
export class CommandHandler {
  readonly #dependencies: CommandHandlerDependencies;
  readonly #outcomes = new BoundedMap<string, Promise<WireOutcome | undefined>>({ most: remembered });
  #stopped = false;

  constructor(dependencies: CommandHandlerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Refuses everything from now on. */
  stop(): void {
    this.#stopped = true;
  }

  /** Handles a command; undefined if its place doesn't exist. */
  command(session: string, request: WireCommandRequest): Promise<WireOutcome | undefined> {
    return this.#once(session, request, async (eventId, waiting) => {
      const { channels, files } = this.#dependencies;
      const dispatcher = heldToLimit(this.#dependencies.dispatcher, waiting);
      const place = await channels.find(request.place);
      if (!place) return undefined;
      const read = await readValues(request.options, files);
      const { command, options, said, instead } = this.#asked(request, read.values);
      const question = instead ? instead.command : command;
      const replied = await this.#replied(session, request.replyTo, question, place);
      if (replied === 'gone') return undefined;
      const added = replied?.context !== undefined && { added: { context: replied.context } };
      const requester = personOf(request);
      const address = addressOf(place, session);
      await using prepared = await dispatcher.prepare({
        eventId,
        command,
        options,
        ...(instead ? { instead: { ...instead, ...added } } : added),
        ...('text' in request && { said: saidIn(request.text, request.replyTo) }),
        address,
        requester,
      });
      if (prepared.kind === 'accepted' && !this.#stopped) {
        await this.#show(prepared, { session, eventId, waiting }, place, {
          command: said ?? wireCommand(this.#dependencies.dispatcher.commands, command, options),
          ...(replied && { repliesTo: replied.preview }),
          files: read.files,
        });
      }
      return await this.#outcome(prepared, { session, address, eventId, isShown: true }, requester);
    });
  }

  /**
   * The command of a request: a message's is found in its text, as on the other platforms. `said` is what it's shown as,
   * where that isn't the command.
   */
  #asked(request: WireCommandRequest, given: RawValues): Asked {
    if ('command' in request) return { command: request.command, options: given };
    const { commands } = this.#dependencies.dispatcher;
    const hasFiles = Object.keys(given).length > 0;
    const { command, options, typed, instead } = spokenRequest(request.text, { commands, hasFiles });
    const isQuestion = (typed === undefined || instead) && command !== commandFor.chat;
    return {
      command,
      options: { ...options, ...given },
      ...(instead && { instead }),
      ...(isQuestion && { said: { name: instead?.command ?? command, text: request.text, options: [] } }),
    };
  }

  /** Handles a button press; undefined if its message doesn't exist or this session can't see it. */
  press(session: string, request: WirePressRequest): Promise<WireOutcome | undefined> {
    return this.#once(session, request, async (eventId, waiting) => {
      const { messages, files } = this.#dependencies;
      const dispatcher = heldToLimit(this.#dependencies.dispatcher, waiting);
      const row = await messages.find(request.message, session);
      if (!row) return undefined;
      const requester = personOf(request);
      const address = addressOf(placeOf(row), session);
      const form = parseDraftFormId(request.action);
      const about = { session, address, eventId, dispatcher, waiting };
      if (form) return this.#fromMessage(form, row, request, about);
      const read = request.values && (await readValues(request.values, files));
      await using prepared = await dispatcher.preparePress({
        eventId,
        actionId: request.action,
        address,
        message: { ...address, message: String(request.message) },
        requester,
        text: row.text,
        ...(read && { values: read.values }),
      });
      // A question that was entered in a form stands nowhere else.
      const isQuestion = prepared.kind === 'accepted' && prepared.call?.command === commandFor.chat;
      const isShown = isQuestion && read !== undefined && !this.#stopped;
      if (isShown) {
        await this.#show(prepared, { session, eventId, waiting }, placeOf(row), {
          command: wireCommand(this.#dependencies.dispatcher.commands, commandFor.chat, read.values),
          repliesTo: previewOf(row.text),
          files: read.files,
        });
      }
      return await this.#outcome(prepared, { session, address, eventId, isShown }, requester);
    });
  }

  /** A command in the menu of a message: opens its form, or takes the submitted one. */
  async #fromMessage(
    { command, draft }: { readonly command: string; readonly draft: string },
    row: MessageRow,
    request: WirePressRequest,
    about: About & { readonly dispatcher: Prepares; readonly waiting: Waiting },
  ): Promise<WireOutcome> {
    const { files } = this.#dependencies;
    const { address, eventId, dispatcher } = about;
    const requester = personOf(request);
    const rows = await files.of([request.message]);
    if (draft === newDraft) {
      const text = row.text || (extrasOf(row).command?.text ?? '');
      const author = row.author === 'bot' ? 'troupe' : requester.name;
      const sources = [messageSource('console', String(row.id))];
      const message = { author, text, files: rows.map(incomingFile), sources };
      const asked = { command, message, address, requester, maxInput: Number.MAX_SAFE_INTEGER };
      const prepared = await dispatcher.prepareFromMessage(asked);
      const outcome = await this.#outcome(prepared, about, requester);
      const isForm = prepared.kind === 'form' && prepared.draft !== undefined && outcome.kind === 'form';
      return isForm ? { ...outcome, action: draftFormId(command, prepared.draft) } : outcome;
    }
    const read = await readValues(request.values ?? {}, files);
    await using prepared = await dispatcher.prepare({
      eventId,
      command,
      options: read.values,
      address,
      requester,
      draft,
    });
    if (prepared.kind === 'accepted' && !this.#stopped) {
      await this.#show(prepared, about, placeOf(row), {
        command: wireCommand(this.#dependencies.dispatcher.commands, command, read.values),
        repliesTo: previewOf(quotedMessage(row, rows).text),
        files: read.files,
      });
    }
    return await this.#outcome(prepared, { ...about, isShown: true }, requester);
  }

  /** Shows what somebody gave, unless they've been told meanwhile that nothing comes of it. */
  async #show(
    { answerSeenBy }: AcceptedRequest,
    { session, eventId, waiting }: Pick<About, 'session' | 'eventId'> & { readonly waiting: Waiting },
    place: Place,
    { files, ...extras }: NewMessage['extras'] & Pick<NewMessage, 'files'>,
  ): Promise<void> {
    const { messages, feed } = this.#dependencies;
    const seenBy = answerSeenBy === 'channel' ? undefined : session;
    const given = { place, session: seenBy, key: `given:${eventId}`, extras, files };
    const unlessGivenUp = () => {
      if (waiting.isGivenUp) throw new GivenUpError();
    };
    await messages.post({ ...given, author: 'you', text: '' }, unlessGivenUp);
    feed.notify('changes');
  }

  /** The message that a question replies to, in the same channel or one of its threads. */
  async #replied(session: string, replyTo: number | undefined, command: string, { channel }: Place) {
    if (replyTo === undefined || command !== commandFor.chat) return undefined;
    const { messages, files, contextTokens } = this.#dependencies;
    const row = await messages.find(replyTo, session);
    if (row?.channel !== channel) return 'gone';
    const quote = quotedMessage(row, await files.of([replyTo]));
    return { context: quoted([quote], contextTokens), preview: previewOf(quote.text) };
  }

  async #outcome(prepared: PreparedRequest, about: About, requester: Person): Promise<WireOutcome> {
    if (this.#stopped) return { kind: 'refused', body: richText(words(requester.locale).shuttingDown) };
    switch (prepared.kind) {
      case 'refused':
        return { kind: 'refused', body: richText(prepared.text) };
      case 'form':
        return { kind: 'form', form: await wireForm(prepared.form, this.#dependencies.files) };
      case 'accepted':
        await prepared.record();
        this.#start(prepared, about);
        return { kind: 'accepted' };
    }
  }

  #start(prepared: AcceptedRequest, { session, address, eventId, isShown = false }: About): void {
    const quiet = prepared.seenBy === 'nobody';
    const answered = quiet
      ? () => {}
      : this.#dependencies.feed.markWorking(address.thread ?? address.channel);
    const reply = new ConsoleReply(this.#dependencies, {
      session,
      address,
      eventId,
      private: prepared.seenBy === 'requester',
      isShown,
      answered,
    });
    prepared
      .run(reply)
      .catch((error: unknown) =>
        this.#dependencies.log.error({ error }, 'a command on the console could not be answered'),
      )
      .finally(answered);
  }

  /** The outcome of some work, or the sentence where the database is away or doesn't answer in time. */
  async #inTime(
    { locale }: Pick<WireCommandRequest, 'locale'>,
    work: (waiting: Waiting) => Promise<WireOutcome | undefined>,
  ): Promise<WireOutcome | undefined> {
    const { clock, isSilent, log } = this.#dependencies;
    const { promise, resolve, reject } = Promise.withResolvers<WireOutcome | undefined>();
    const body = richText(words(locale).errors.database);
    const tell = async () => resolve({ kind: 'refused', body });
    inResponseTime({ clock, isDue: isSilent, isTold: isLocal, tell }, async (waiting) =>
      resolve(await work(waiting)),
    ).catch((error: unknown) => {
      if (isLocal(error)) log.error({ error }, 'a command on the console could not be recorded');
      reject(error);
    });
    return promise;
  }

  /** Runs `work` once for requests with the same id; all of them get its outcome, unless that was a fault. */
  #once(
    session: string,
    request: Pick<WireCommandRequest, 'eventId' | 'locale'>,
    work: (eventId: string, waiting: Waiting) => Promise<WireOutcome | undefined>,
  ): Promise<WireOutcome | undefined> {
    const eventId = `${session}:${request.eventId}`;
    const earlier = this.#outcomes.get(eventId);
    if (earlier) return earlier;
    const outcome = this.#inTime(request, (waiting) => work(`console:${eventId}`, waiting));
    outcome.catch(() => this.#outcomes.delete(eventId));
    this.#outcomes.set(eventId, outcome);
    return outcome;
  }
}

/** Who gave a command, and where. */
interface About {
  readonly session: string;
  readonly address: Address;
  readonly eventId: string;
  /** It stands in the channel: it was typed, or sent with a form. */
  readonly isShown?: boolean;
}

/** What a request asks for. */
interface Asked {
  readonly command: string;
  readonly options: RawValues;
  readonly said?: WireCommand;
  readonly instead?: MeantCommand;
}

/** The console's one person, who is an administrator. */
function personOf({ locale, timeZone }: Pick<WireCommandRequest, 'locale' | 'timeZone'>): Person {
  return {
    id: visitor,
    name: locale === 'zh-CN' ? '访客' : 'Visitor',
    locale,
    administrator: true,
    moderator: true,
    ...(timeZone !== undefined && { timeZone }),
  };
}

/** With the session that alone sees what's private. */
function addressOf(place: Place, session: string): Address {
  return { platform: 'console', workspace, ...place, platformData: { session } };
}

function placeOf({ channel, thread }: MessageRow): Place {
  return { channel, ...(thread === null ? {} : { thread }) };
}

function saidIn(text: string, replyTo: number | undefined) {
  return replyTo === undefined ? { text } : { text, replyTo: String(replyTo) };
}
