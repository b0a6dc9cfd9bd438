import type { APIInteractionResponse } from 'discord-api-types/v10';
import type { CommandDispatcher } from '../../../engine/index.ts';
import type { Meter } from '../../../lib/telemetry.ts';
import type { FirstTime, Records } from '../../../store/index.ts';
import type { AllowedServers } from '../connection/allowed-servers.ts';
import type { Log } from '../connection/own-application.ts';
import type { DiscordServices } from '../post/services.ts';
import type { LiveDependencies } from '../reply/live-answer.ts';
import type { LeftEvents } from './left-events.ts';

/** Dependencies of {@link Interactions} and {@link Messages}. */
export interface ReceiverDependencies extends DiscordServices {
  readonly dispatcher: CommandDispatcher;
  /** Sends an interaction's first response; returns the id of the loading message that everybody sees, where it's known. */
  readonly acknowledge: (
    id: string,
    token: string,
    response: APIInteractionResponse,
  ) => Promise<string | undefined>;
  /** Which of these ids are a server's roles, asked anew where it may have changed. */
  readonly rolesAmong: (guildId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Absent where the bot works in every server. */
  readonly allowedServers?: AllowedServers;
  readonly meter?: Meter;
  /** Whether people shouldn't wait for the database. */
  readonly isSilent: () => boolean;
  readonly leftEvents: LeftEvents;
  readonly firstTime: FirstTime;
  readonly records: Pick<Records, 'add' | 'has'>;
  readonly log: Pick<Log, 'info' | 'warn'> & LiveDependencies['log'];
  /** Whether Discord shows the bot what messages say that don't mention it. */
  readonly readsAll: () => boolean;
  /** Whether other processes, or the next one, get again what this one hasn't put on record. */
  readonly isLeaving: () => boolean;
  /** How much other people's words may add to a question, in estimated tokens. */
  readonly contextTokens: number;
}
