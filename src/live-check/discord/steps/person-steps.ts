import {
  type APIMessage,
  type ButtonInteraction,
  type DiscordAPIError,
  type Interaction,
  InteractionResponseType,
  MessageFlags,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { discordFeatures } from '../../../platforms/discord/api/features.ts';
import {
  missingPermissions,
  type PermissionName,
  usedPermissions,
} from '../../../platforms/discord/api/permissions.ts';
import { onePixelPng } from '../../sample-files.ts';
import {
  noHelper,
  notDoneInTime,
  refused,
  type Step,
  type StepResult,
  skipped,
  unclear,
  works,
} from '../../step.ts';
import { type DiscordContext, ignoreGone, label, type PressedButton, postText } from '../context.ts';
import { waitForInteraction } from '../helper-connection.ts';
import { refusalText } from '../refusals.ts';
import { commandSteps } from './command-steps.ts';
import { formStep } from './form-step.ts';
import { laterFollowUpStep } from './later-follow-up-step.ts';
import { mentionSteps } from './mention-steps.ts';
import { buttonRow } from './message-steps.ts';
import { placeSteps } from './place-steps.ts';

const pressId = 'live-check:press';
const mebibyte = 1024 * 1024;

/** Steps that start with something only a person can do. */
export const personSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'what a button press says about the channel',
    expects: 'the app’s permissions and the upload limit',
    does: 'checks both before anything is paid for',
    async run(context) {
      const { session } = context;
      if (!session) return noHelper;
      const { id } = await postText(context, 'please press the button', {
        components: [buttonRow(pressId, 'Press me')],
      });
      const press = await waitForInteraction(context, session, 'Press “Press me” in the channel.', isPress);
      if (!press) return notDoneInTime;
      await context.rest.post(Routes.interactionCallback(press.id, press.token), {
        body: {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: { flags: MessageFlags.Ephemeral },
        },
        auth: false,
      });
      session.pressed = { press, message: id };
      const answer = Routes.webhookMessage(press.applicationId, press.token, '@original');
      context.cleanUp.add('the answer to your button press', () =>
        context.rest.delete(answer, { auth: false }),
      );
      const missing = missingPermissions(press.appPermissions.bitfield, allNames);
      const limit = `up to ${press.attachmentSizeLimit / mebibyte} MiB a file`;
      return works(
        `${limit}; ${missing.length > 0 ? `missing ${missing.join(', ')}` : 'no permission is missing'}`,
      );
    },
  },
  {
    name: 'file in the answer to a button press, without Attach Files',
    expects: 'not documented',
    does: 'refuses commands that make files before anything is paid for',
    run: (context) =>
      withPress(context, async ({ press }) => {
        if (press.appPermissions.has(PermissionFlagsBits.AttachFiles))
          return skipped('the bot has Attach Files here; remove it to try this');
        const route = Routes.webhookMessage(press.applicationId, press.token, '@original');
        const files = [{ name: 'troupe-live-check.png', data: onePixelPng, contentType: 'image/png' }];
        try {
          await context.rest.patch(route, { body: { content: label }, files, auth: false });
          return works();
        } catch (error) {
          if (errorCode(error) !== RESTJSONErrorCodes.MissingPermissions) throw error;
          return refused('refused: 50013 Missing Permissions');
        }
      }),
  },
  {
    name: 'message of the button, by the press’s token',
    expects: 'not documented',
    does: 'reads files from the press’s own data, and answers with a new message',
    run: (context) =>
      withPress(context, async ({ press, message }) => {
        const route = Routes.webhookMessage(press.applicationId, press.token, message);
        try {
          await context.rest.get(route, { auth: false });
        } catch (error) {
          if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
          return refused(refusalText(error as DiscordAPIError));
        }
        const body = { content: `${label}: thank you`, components: [], allowed_mentions: { parse: [] } };
        await context.rest.patch(route, { body, auth: false });
        return works('it can be read and edited');
      }),
  },
  {
    name: 'follow-up with the same nonce twice',
    expects: 'not documented',
    does: {
      works: 'repeats a follow-up until it’s there',
      refused: 'sends a follow-up only once',
    },
    feature: discordFeatures.followUpNonce,
    everywhere: true,
    run: (context) =>
      withPress(context, async ({ press }) => {
        const { rest, cleanUp } = context;
        const body = {
          content: `${label}: a follow-up`,
          flags: MessageFlags.Ephemeral,
          nonce: `live-check-${press.id.slice(-10)}`,
          enforce_nonce: true,
        };
        const followUp = async () => {
          const route = Routes.webhook(press.applicationId, press.token);
          const { id } = (await rest.post(route, { body, auth: false })) as APIMessage;
          const sent = Routes.webhookMessage(press.applicationId, press.token, id);
          cleanUp.add('a follow-up that only you see', () =>
            rest.delete(sent, { auth: false }).catch(ignoreGone),
          );
          return id;
        };
        // The first follow-up after a deferral would replace the loading message.
        await rest.patch(Routes.webhookMessage(press.applicationId, press.token, '@original'), {
          body: { content: label },
          auth: false,
        });
        const [first, second] = [await followUp(), await followUp()];
        return first === second
          ? works('returned the first follow-up')
          : refused('posted a second follow-up');
      }),
  },
  laterFollowUpStep,
  formStep,
  ...commandSteps,
  ...mentionSteps,
  ...placeSteps,
];

const allNames = Object.keys(usedPermissions) as PermissionName[];

function isPress(interaction: Interaction): interaction is ButtonInteraction {
  return interaction.isButton() && interaction.customId === pressId;
}

async function withPress(
  { session }: DiscordContext,
  work: (pressed: PressedButton) => Promise<StepResult>,
): Promise<StepResult> {
  if (!session) return noHelper;
  return session.pressed ? work(session.pressed) : unclear('nobody pressed the button');
}
