import type { Arguments } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import { needReading } from '../readings.ts';
import type { Json } from '../records.ts';
import type { Caller, World } from '../world.ts';
import { checkView } from './modal.ts';

/** A form on somebody's screen. */
export interface View {
  readonly id: string;
  readonly teamId: string;
  readonly user: string;
  hash: string;
  content: Json;
  /** By block, what was wrong with the last try to send it. */
  errors: Record<string, string>;
}

interface Trigger {
  readonly user: string;
  readonly teamId: string;
  readonly at: number;
  used: boolean;
}

/** Triggers, and the forms that are open. */
export class Views {
  readonly #world: World;
  readonly #triggers = new Map<string, Trigger>();
  readonly #open = new Map<string, View>();
  /** Home tabs, by workspace and person. */
  readonly #homes = new Map<string, View>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A trigger for one form within three seconds. */
  trigger(teamId: string, user: string): string {
    const id = `${this.#world.id('')}.${this.#world.id('')}.${this.#world.secret('')}`;
    this.#triggers.set(id, { user, teamId, at: this.#world.clock.now(), used: false });
    return id;
  }

  /** What somebody has open, the uppermost last. */
  of(user: string): View[] {
    return [...this.#open.values()].filter((view) => view.user === user);
  }

  close(view: View): void {
    this.#open.delete(view.id);
  }

  /** `views.open` and `views.push` */
  open(caller: Caller, args: Arguments, push: boolean): Json {
    const trigger = this.#spend(args.required('trigger_id'));
    const content = this.#read(caller, args);
    const stack = this.of(trigger.user);
    if (push && stack.length === 0) throw new Failure('not_found');
    if (push && stack.length >= limits.view.stack) throw new Failure('push_limit_reached');
    return { view: viewJson(this.#show(trigger, content)) };
  }

  /** `views.update` */
  update(caller: Caller, args: Arguments): Json {
    const view = this.#open.get(args.required('view_id'));
    if (!view) throw new Failure('not_found');
    const hash = args.text('hash');
    if (hash !== undefined && hash !== view.hash) throw new Failure('hash_conflict');
    view.content = this.#read(caller, args);
    view.hash = this.#world.secret('');
    return { view: viewJson(view) };
  }

  /** `views.publish` */
  publish(caller: Caller, args: Arguments): Json {
    const user = args.required('user_id');
    const content = args.object('view', 'invalid_arguments');
    if (!content) throw new Failure('invalid_arguments');
    checkView(content, caller, 'home');
    if (!this.#world.settings.homeTab) throw new Failure('not_enabled');
    needReading(this.#world.readings, 'homeTab');
    const workspace = this.#world.reach(caller.installation).find((one) => one.users.has(user));
    if (!workspace) throw new Failure('invalid_arguments');
    const before = this.home(workspace.id, user);
    const hash = args.text('hash');
    if (hash !== undefined && hash !== before?.hash) throw new Failure('hash_conflict');
    const id = before?.id ?? this.#world.id('V');
    const teamId = workspace.id;
    const view: View = { id, teamId, user, hash: this.#world.secret(''), content, errors: {} };
    this.#homes.set(`${teamId} ${user}`, view);
    return { view: viewJson(view) };
  }

  /** Shows nothing in somebody's Home tab, as when the app was installed anew. */
  forgetHome(teamId: string, user: string): void {
    this.#homes.delete(`${teamId} ${user}`);
  }

  /** What somebody's Home tab shows. */
  home(teamId: string, user: string): View | undefined {
    return this.#homes.get(`${teamId} ${user}`);
  }

  /** A form that an acknowledgement asks for, checked like any other. */
  show(caller: Caller, like: { user: string; teamId: string }, content: Json): View {
    checkView(content, caller);
    return this.#show(like, content);
  }

  #show(for_: { user: string; teamId: string }, content: Json): View {
    const view: View = {
      id: this.#world.id('V'),
      teamId: for_.teamId,
      user: for_.user,
      hash: this.#world.secret(''),
      content,
      errors: {},
    };
    this.#open.set(view.id, view);
    return view;
  }

  #read(caller: Caller, args: Arguments): Json {
    const content = args.object('view', 'invalid_arguments');
    if (!content) throw new Failure('invalid_arguments');
    checkView(content, caller);
    return content;
  }

  #spend(id: string): Trigger {
    const trigger = this.#triggers.get(id);
    if (!trigger) throw new Failure('invalid_trigger_id');
    if (trigger.used) throw new Failure('exchanged_trigger_id');
    if (this.#world.clock.now() - trigger.at > limits.triggerMs) throw new Failure('expired_trigger_id');
    trigger.used = true;
    return trigger;
  }
}

/** A view as methods and interactions show it. */
export function viewJson(view: View): Json {
  return { id: view.id, team_id: view.teamId, hash: view.hash, ...view.content };
}
