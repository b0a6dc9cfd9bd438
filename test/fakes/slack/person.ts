import type { Acknowledged, Delivery } from './events/delivery.ts';
import { changeEvent, messageChangeEvent, messageEvents, organizationInstall } from './events/events.ts';
import { startStep } from './events/steps.ts';
import { Arguments, isJson } from './http/arguments.ts';
import { addFile, fileJson } from './messages/files.ts';
import { emojiBlocks, escaped, withCodes, withReferences } from './messages/formatting.ts';
import { asJson, blockFiles, bury, put, readContent } from './messages/messages.ts';
import { stopSession } from './messages/sessions.ts';
import type { Channel, Ephemeral, Execution, Json, Message, SlackFile, User, Workspace } from './records.ts';
import type { FakeSlack } from './slack.ts';
import { entered, type Entries } from './views/form-entry.ts';
import { type View, viewJson } from './views/views.ts';

/** Slack's own user. */
const slackbot = 'USLACKBOT';

/** What came of a typed command, a pressed button or a sent form. */
export interface Outcome {
  readonly delivery: Delivery;
  readonly acknowledged: Acknowledged;
  readonly responseUrl: string | undefined;
}

/** Somebody in a workspace, who does what people do in Slack. */
export class FakePerson {
  readonly slack: FakeSlack;
  readonly workspace: Workspace;
  readonly user: User;
  /** In an organization, the workspace that interactions name as theirs, where it isn't the one they act in (uncertain). */
  mainTeam: string | undefined;

  constructor(slack: FakeSlack, workspace: Workspace, user: User) {
    this.slack = slack;
    this.workspace = workspace;
    this.user = user;
  }

  /** The bot as it is written in a message. */
  get bot(): string {
    return `<@${this.workspace.botUser}>`;
  }

  get directMessages(): Channel {
    return this.slack.world.directMessages(this.workspace, this.user.id);
  }

  /** What this person alone is shown. */
  get whispers(): Ephemeral[] {
    return this.workspace.ephemerals.filter((one) => one.user === this.user.id);
  }

  /** The uppermost form on their screen. */
  get form(): View | undefined {
    return this.slack.views.of(this.user.id).at(-1);
  }

  /** Types a slash command. Slack knows no slash commands in threads. */
  async types(line: string, channel: Channel): Promise<Outcome> {
    const { settings } = this.slack.world;
    const [command = '', ...rest] = line.split(' ');
    if (!settings.commands.has(command) || this.#isVisitor)
      throw new Error(`${command} is not a valid command`);
    this.slack.world.useScope('commands', command);
    const names = { im: 'directmessage', group: 'privategroup', mpim: channel.name, channel: channel.name };
    const responseUrl = this.#responseUrl(channel);
    const delivery = this.slack.deliverer.deliver('slash_commands', {
      token: 'deprecated-verification-token',
      team_id: this.workspace.id,
      team_domain: this.workspace.name,
      ...(this.workspace.enterpriseId ? { enterprise_id: this.workspace.enterpriseId } : {}),
      channel_id: channel.id,
      channel_name: names[channel.kind],
      user_id: this.user.id,
      user_name: this.user.name,
      command,
      ...((rest.length > 0 || this.slack.world.optionalFields !== 'absent') && {
        text: settings.escapedCommands.has(command)
          ? withReferences(
              withCodes(rest.join(' ')),
              this.workspace,
              this.slack.world.readings.escapedGroups === 'works',
            )
          : escaped(withCodes(rest.join(' '))),
      }),
      api_app_id: this.slack.world.appId,
      is_enterprise_install: String(organizationInstall(this.slack.world, this.workspace)),
      response_url: responseUrl,
      trigger_id: this.slack.views.trigger(this.workspace.id, this.user.id),
    });
    const acknowledged = await this.slack.acknowledged(delivery);
    if (acknowledged.ok) this.#showAnswer(acknowledged.response, channel);
    return { delivery, acknowledged, responseUrl };
  }

  /** Writes a message, in a thread or not, with files or not; the app gets the event if it may. */
  says(
    text: string,
    channel: Channel,
    options: {
      readonly thread?: string;
      readonly files?: readonly SlackFile[];
      /** Messages that are shared with it; or what an app attaches. */
      readonly attachments?: readonly Json[];
      /** What an app writes in blocks: beside them, its text may be empty. */
      readonly blocks?: Json[];
    } = {},
  ): { readonly message: Message; readonly deliveries: Delivery[] } {
    const { world } = this.slack;
    const files = options.files ?? [];
    const message = put(world, channel, {
      user: this.user.id,
      byApp: false,
      content: {
        text: escaped(withCodes(text)),
        markdown: undefined,
        blocks: options.blocks ?? emojiBlocks(text),
        metadata: undefined,
      },
      threadTs: options.thread,
      files: files.map(({ id }) => id),
      ...(options.attachments && { attachments: options.attachments }),
    });
    for (const file of files) {
      file.shares.push({ channel: channel.id, ts: message.ts, threadTs: options.thread });
      file.seenIn.add(channel.id);
    }
    const events = messageEvents(world, this.workspace, channel, message);
    return { message, deliveries: events.map((event) => this.slack.sendEvent(this.workspace, event)) };
  }

  /** Writes with `/me`, which comes as a message of its own kind (me_message). */
  saysOfThemselves(text: string, channel: Channel): Delivery {
    const { world } = this.slack;
    const content = { text: escaped(text), markdown: undefined, blocks: [], metadata: undefined };
    const message = put(world, channel, { user: this.user.id, byApp: false, content });
    const [event] = messageEvents(world, this.workspace, channel, message);
    if (!event) throw new Error('the app hears of nothing there');
    return this.slack.sendEvent(this.workspace, { ...event, subtype: 'me_message' });
  }

  /** Mentions the bot in the text of a canvas: Slack writes its own message about that, with the words in a block. */
  mentionsInCanvas(
    text: string,
    channel: Channel,
  ): { readonly message: Message; readonly delivery: Delivery } {
    const { world } = this.slack;
    const quoted = { type: 'mrkdwn', text: `&gt;&gt;&gt;${escaped(text)}`, verbatim: false };
    const message = put(world, channel, {
      user: this.user.id,
      byApp: false,
      content: {
        text: `${this.bot} was mentioned in a canvas`,
        markdown: undefined,
        blocks: [{ type: 'section', text: quoted }],
        metadata: undefined,
      },
    });
    const document_mention = {
      file_id: world.id('F'),
      section_id: 'temp:C:1',
      mentioning_user_ids: [this.user.id],
    };
    const told = { type: 'app_mention', subtype: 'document_mention', document_mention };
    const { metadata: _, ...shown } = this.#asJson(message);
    const event = { ...shown, ...told, channel: channel.id, event_ts: message.ts };
    return { message, delivery: this.slack.sendEvent(this.workspace, event) };
  }

  /**
   * Changes a message of their own: one that mentions the bot comes as a mention again, with `edited` (bolt-js#960,
   * slack-go#1256, PostHog/posthog#59517).
   */
  edits(message: Message, text: string): readonly Delivery[] {
    const { world } = this.slack;
    const before = this.#asJson(message);
    Object.assign(message, { text: escaped(text), edited: true });
    const channel = this.workspace.channels.get(message.channel);
    const events = channel ? messageEvents(world, this.workspace, channel, message) : [];
    const mentions = events.filter(({ type }) => type === 'app_mention');
    const ts = world.ts();
    const edited = { user: this.user.id, ts };
    return [
      this.#tellsChange(message, before),
      ...mentions.map((event) => this.slack.sendEvent(this.workspace, { ...event, edited, event_ts: ts })),
    ];
  }

  /** Deletes a message of their own, or anybody’s as an administrator. */
  deletes(message: Message): Delivery {
    const before = this.#asJson(message);
    const channel = this.workspace.channels.get(message.channel);
    const isTombstone = channel !== undefined && bury(this.slack.world, channel, message);
    return this.#tellsChange(message, before, !isTombstone);
  }

  /** Deletes a file of their own, whose message says more: that keeps a mark of it, and the app is told its id (file_deleted). */
  deletesFile({ id }: SlackFile): Delivery {
    const { world } = this.slack;
    this.workspace.files.delete(id);
    const send = world.settings.events.has('file_deleted') ? this.slack.sendEvent.bind(this.slack) : unsent;
    return send(this.workspace, { type: 'file_deleted', file_id: id, event_ts: world.ts() });
  }

  /**
   * Takes the bot out of a channel. Slackbot tells it that in direct messages, by a message without a subtype and without the
   * id of a bot (node-slack-sdk#211, java-slack-sdk#1062).
   */
  takesOutBot(channel: Channel): Delivery {
    const { world } = this.slack;
    channel.members.delete(this.workspace.botUser);
    const told = world.directMessages(this.workspace, slackbot);
    const text = `You have been removed from #${channel.name} by <@${this.user.id}>`;
    const content = { text, markdown: undefined, blocks: [], metadata: undefined };
    const message = put(world, told, { user: slackbot, byApp: false, content });
    const [event] = messageEvents(world, this.workspace, told, message);
    if (!event) throw new Error('the app hears of no direct messages');
    const { client_msg_id: _, ...ofSlackbot } = event;
    return this.slack.sendEvent(this.workspace, ofSlackbot);
  }

  #asJson(message: Message): Json {
    return asJson(this.slack.world, this.workspace, message, false);
  }

  /** An app whose bot isn't a member hears of no change: nothing is sent. */
  #tellsChange(message: Message, before: Json, isGone = false): Delivery {
    const isHeard = this.workspace.channels.get(message.channel)?.members.has(this.workspace.botUser);
    const send = isHeard ? this.slack.sendEvent.bind(this.slack) : unsent;
    const event = messageChangeEvent(this.slack.world, this.workspace, message, before, isGone);
    return send(this.workspace, event);
  }

  /** The files of a message that this person sees; in place of the others stands “file not found”. */
  seesIn({ channel, files, blocks }: Message): string[] {
    if (!this.workspace.channels.get(channel)?.members.has(this.user.id)) return [];
    return [...files, ...blockFiles(blocks)].filter((id) =>
      this.workspace.files.get(id)?.seenIn.has(channel),
    );
  }

  /** Has a file ready to send. */
  file(name: string, bytes: Uint8Array): SlackFile {
    const made = { name, bytes, user: this.user.id, length: bytes.byteLength, altText: undefined };
    return addFile(this.slack.world, this.workspace, made);
  }

  /** Has a file ready to send that an app of theirs has added, from wherever they like. */
  remoteFile(name: string, externalUrl: string): SlackFile {
    const made = { name, user: this.user.id, length: 0, altText: undefined, externalUrl };
    return Object.assign(addFile(this.slack.world, this.workspace, made), { completed: true, readAt: 0 });
  }

  /** Chooses a shortcut in the menu of a message, which messages that one person alone sees don't have. */
  async picks(message: Message, name: string): Promise<Outcome> {
    const { settings } = this.slack.world;
    const callbackId = settings.shortcuts.get(name);
    const channel = this.workspace.channels.get(message.channel);
    if (callbackId === undefined || !channel || this.#isVisitor)
      throw new Error(`there is no shortcut ${name}`);
    this.slack.world.useScope('commands', name);
    const responseUrl = this.#responseUrl(channel);
    const delivery = this.slack.deliverer.deliver('interactive', {
      type: 'message_action',
      ...this.#who(),
      callback_id: callbackId,
      trigger_id: this.slack.views.trigger(this.workspace.id, this.user.id),
      response_url: responseUrl,
      action_ts: this.slack.world.ts(),
      message_ts: message.ts,
      channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
      message: {
        ...asJson(this.slack.world, this.workspace, message, true),
        ...(message.files.length > 0 && { files: message.files.flatMap((id) => this.#fileJson(id)) }),
      },
    });
    return { delivery, acknowledged: await this.slack.acknowledged(delivery), responseUrl };
  }

  /** Presses a button by its label or id, under a message or a private one. */
  async presses(what: Message | Ephemeral, button: string, forged?: string): Promise<Outcome> {
    if (!this.slack.world.settings.interactive) throw new Error('the manifest has no interactivity');
    const element = buttonIn(what.blocks, button);
    const channel = this.workspace.channels.get(what.channel);
    if (!element || !channel) throw new Error(`there is no button ${button}`);
    const ephemeral = 'via' in what;
    const responseUrl = this.#responseUrl(channel, what);
    const delivery = this.slack.deliverer.deliver('interactive', {
      type: 'block_actions',
      ...this.#who(),
      // Not on Slack's page of the payload's fields.
      ...(this.slack.world.optionalFields !== 'absent' && {
        container: {
          type: 'message',
          message_ts: what.ts,
          channel_id: channel.id,
          is_ephemeral: ephemeral,
          ...(what.threadTs === undefined ? {} : { thread_ts: what.threadTs }),
        },
      }),
      trigger_id: this.slack.views.trigger(this.workspace.id, this.user.id),
      ...(this.slack.world.optionalFields === 'null' && { channel: null }),
      ...(this.slack.world.pressedChannel === 'itself' &&
        this.slack.world.optionalFields !== 'null' && {
          channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
        }),
      ...(ephemeral ? {} : { message: asJson(this.slack.world, this.workspace, what, true) }),
      state: { values: {} },
      response_url: responseUrl,
      actions: [{ ...element, ...(forged && { action_id: forged }), action_ts: this.slack.world.ts() }],
    });
    return { delivery, acknowledged: await this.slack.acknowledged(delivery), responseUrl };
  }

  /** Fills in the uppermost form and sends it; `form` keeps what was wrong with it, or is gone. */
  async sends(entries: Entries): Promise<Outcome> {
    const view = this.form;
    if (!view) throw new Error('no form is open');
    view.errors = {};
    const state = entered(view.content, entries, (file) => {
      this.slack.world.useScope('files:read', 'file_input');
      return fileJson(this.workspace, file, this.slack.origin);
    });
    const delivery = this.slack.deliverer.deliver('interactive', {
      type: 'view_submission',
      ...this.#who(),
      // Slack names the sender's own workspace here, not the one whose app opened the form.
      ...(this.#isVisitor ? { team: { id: this.user.teamId, domain: 'elsewhere' } } : {}),
      trigger_id: this.slack.views.trigger(this.workspace.id, this.user.id),
      view: {
        ...viewJson(view),
        ...(this.slack.world.optionalFields === 'told' && { state }),
        ...(this.slack.world.optionalFields === 'null' && { state: null }),
        app_installed_team_id: this.#installedIn,
      },
      response_urls: [],
    });
    const acknowledged = await this.slack.acknowledged(delivery);
    if (acknowledged.ok) this.#settleForm(view, acknowledged.response);
    return { delivery, acknowledged, responseUrl: undefined };
  }

  /** Presses Slack's own Stop button in a thread where the app is at work. */
  stops(channel: Channel, thread: string): Delivery {
    return this.slack.sendEvent(this.workspace, stopSession(this.slack.world, channel, thread, this.user.id));
  }

  /** Deletes a channel, with all that's in it. */
  deletesChannel(channel: Channel): Delivery {
    for (const { channels } of this.slack.world.workspaces.values()) channels.delete(channel.id);
    const type = channel.kind === 'channel' ? 'channel_deleted' : 'group_deleted';
    return this.slack.sendEvent(this.workspace, { type, channel: channel.id });
  }

  /** Begins to share a private channel with another workspace: it gets another id for good, which the app hears of. */
  shares(channel: Channel): Delivery {
    if (channel.kind !== 'group') throw new Error('only a private channel gets another id');
    const { from, to } = this.slack.world.giveId(channel);
    const ids = { old_channel_id: from, new_channel_id: to };
    return this.slack.sendEvent(this.workspace, { type: 'channel_id_changed', ...ids });
  }

  /**
   * Shares a public channel with a workspace of another organization, or no longer; undefined where the app doesn't hear of that.
   */
  sharesWith(channel: Channel, other: Workspace, isShared = true): Delivery | undefined {
    if (isShared) other.channels.set(channel.id, channel);
    else other.channels.delete(channel.id);
    const told = isShared
      ? { type: 'channel_shared', connected_team_id: other.id }
      : { type: 'channel_unshared', previously_connected_team_id: other.id, is_ext_shared: false };
    if (!this.slack.world.settings.events.has(told.type)) return undefined;
    return this.slack.sendEvent(this.workspace, { ...told, channel: channel.id });
  }

  /** Makes a public channel private; its members hear of that. */
  makesPrivate(channel: Channel): Delivery {
    channel.kind = 'group';
    const told = changeEvent(this.slack.world, channel, this.user.id, 'channel_convert_to_private');
    return this.slack.sendEvent(this.workspace, told);
  }

  /** Changes who may post in a channel; its members hear of that. */
  setsPosting(
    channel: Channel,
    settings: Partial<Pick<Channel, 'readOnly' | 'threads' | 'archived'>>,
  ): Delivery {
    const { archived } = settings;
    Object.assign(channel, settings);
    const told =
      archived === undefined
        ? 'channel_posting_permissions'
        : archived
          ? 'channel_archive'
          : 'channel_unarchive';
    return this.slack.sendEvent(this.workspace, changeEvent(this.slack.world, channel, this.user.id, told));
  }

  /** What the app's Home tab shows this person. */
  get home(): View | undefined {
    return this.slack.views.home(this.workspace.id, this.user.id);
  }

  /** Opens the app's Home tab. */
  opensHome(): Delivery {
    const { events, homeTab } = this.slack.world.settings;
    if (!homeTab || !events.has('app_home_opened')) throw new Error('the app has no Home tab');
    const { home } = this;
    return this.slack.sendEvent(this.workspace, {
      type: 'app_home_opened',
      user: this.user.id,
      channel: this.directMessages.id,
      tab: 'home',
      ...(home && { view: viewJson(home) }),
      event_ts: this.slack.world.ts(),
    });
  }

  /**
   * Presses a button in the Home tab or in a form; Slack sends no channel, message or response address then. `forged`: what a
   * client of one's own says of the button; whether Slack checks that is uncertain.
   */
  async pressesIn(view: View, button: string, forged: Json = {}): Promise<Outcome> {
    const element = buttonIn(view.content.blocks as Json[], button);
    if (!element) throw new Error(`there is no button ${button}`);
    const delivery = this.slack.deliverer.deliver('interactive', {
      type: 'block_actions',
      ...this.#who(),
      container: { type: 'view', view_id: view.id },
      trigger_id: this.slack.views.trigger(this.workspace.id, this.user.id),
      view: { ...viewJson(view), state: { values: {} }, app_installed_team_id: this.#installedIn },
      actions: [{ ...element, type: 'button', action_ts: this.slack.world.ts(), ...forged }],
    });
    return { delivery, acknowledged: await this.slack.acknowledged(delivery), responseUrl: undefined };
  }

  /** Starts a workflow with one of the app's steps; how it ends. */
  runs(step: string, inputs: Json): { readonly delivery: Delivery; readonly execution: Execution } {
    const event = startStep(this.slack.world, this.workspace, step, inputs);
    const execution = this.slack.world.executions.get(String(event.function_execution_id));
    if (!execution) throw new Error('not started');
    return { delivery: this.slack.sendEvent(this.workspace, event), execution };
  }

  /** Opens the app's messages tab. */
  opensApp(): Delivery {
    const { events } = this.slack.world.settings;
    if (!events.has('app_home_opened')) throw new Error('the app does not hear of app_home_opened');
    const channel = this.directMessages.id;
    const event = { type: 'app_home_opened', user: this.user.id, channel, tab: 'messages' };
    return this.slack.sendEvent(this.workspace, { ...event, event_ts: this.slack.world.ts() });
  }

  /** Looks at another channel while the app is open next to it. */
  looksAt(channel: Channel): Delivery {
    const entities = [{ type: 'slack#/types/channel_id', value: channel.id, team_id: this.workspace.id }];
    return this.slack.sendEvent(this.workspace, {
      type: 'app_context_changed',
      channel: this.directMessages.id,
      user: this.user.id,
      context: { entities },
      event_ts: this.slack.world.ts(),
    });
  }

  /** Somebody of another workspace, in a channel that both share. */
  get #isVisitor(): boolean {
    return this.user.teamId !== this.workspace.id;
  }

  /** The workspace, or the organization as a whole (seen; not documented). */
  get #installedIn(): string {
    const { id, enterpriseId } = this.workspace;
    return organizationInstall(this.slack.world, this.workspace) ? (enterpriseId ?? id) : id;
  }

  #who(): Json {
    const organization = organizationInstall(this.slack.world, this.workspace);
    const { id, name } = this.user;
    return {
      user: { id, username: name, name, team_id: this.mainTeam ?? this.user.teamId },
      team: organization ? null : { id: this.workspace.id, domain: this.workspace.name },
      enterprise: this.workspace.enterpriseId ? { id: this.workspace.enterpriseId, name: 'Org' } : null,
      is_enterprise_install: organization,
      api_app_id: this.slack.world.appId,
      token: 'deprecated-verification-token',
    };
  }

  #fileJson(id: string): Json[] {
    const file = this.workspace.files.get(id);
    return file ? [fileJson(this.workspace, file, this.slack.origin)] : [];
  }

  #responseUrl(channel: Channel, about?: Message | Ephemeral): string {
    const { workspace, user } = this;
    return this.slack.responseUrls.make({ workspace, channel, user: user.id, about });
  }

  #showAnswer(response: unknown, channel: Channel): void {
    const answer = typeof response === 'string' ? { text: response } : response;
    if (!isJson(answer) || (!answer.text && !answer.blocks)) return;
    const args = new Arguments(answer);
    const made = { workspace: this.workspace, channel, user: this.user.id };
    const inChannel = answer.response_type === 'in_channel';
    this.slack.responseUrls.post(
      made,
      readContent(args, this.slack.world),
      inChannel,
      args,
      'acknowledgement',
    );
  }

  #settleForm(view: View, response: unknown): void {
    const { response_action: action, errors, view: next } = isJson(response) ? response : ({} as Json);
    if (action === 'errors' && isJson(errors)) {
      const inputs = (view.content.blocks as Json[]).filter((block) => block.type === 'input');
      const blocks = new Set(inputs.map((block) => block.block_id));
      for (const [block, text] of Object.entries(errors)) {
        if (!blocks.has(block)) throw new Error(`errors name an unknown block ${block}`);
        view.errors[block] = String(text);
      }
      return;
    }
    if (action === 'update' && isJson(next)) {
      view.content = next;
      return;
    }
    if (action === 'clear')
      for (const open of this.slack.views.of(this.user.id)) this.slack.views.close(open);
    else this.slack.views.close(view);
  }
}

/** An event that Slack keeps to itself. */
function unsent(_: Workspace, event: Json): Delivery {
  return { type: 'events_api', payload: { event }, attempts: [], done: Promise.resolve({ ok: true }) };
}

/** One of two feedback buttons by its label; the event has the pressed one's text and value. */
function feedbackIn(element: Json, wanted: string): Json | undefined {
  if (element.type !== 'feedback_buttons') return undefined;
  const buttons = [element.positive_button, element.negative_button].filter(isJson);
  const pressed = buttons.find(({ text }) => isJson(text) && text.text === wanted);
  if (!pressed) return undefined;
  const { text, value } = pressed;
  return { type: 'feedback_buttons', action_id: element.action_id, text, value };
}

function buttonIn(blocks: readonly Json[], wanted: string): Json | undefined {
  for (const block of blocks) {
    const elements = [...(Array.isArray(block.elements) ? (block.elements as Json[]) : [])];
    if (isJson(block.accessory)) elements.push(block.accessory);
    for (const element of elements) {
      const pressed = feedbackIn(element, wanted);
      if (pressed) return { block_id: block.block_id ?? 'b', ...pressed };
      const label = isJson(element.text) ? element.text.text : undefined;
      if (element.type === 'button' && (label === wanted || element.action_id === wanted)) {
        return { block_id: block.block_id ?? 'b', ...element };
      }
    }
  }
  return undefined;
}
