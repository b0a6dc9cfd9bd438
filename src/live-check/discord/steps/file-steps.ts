import { type DiscordAPIError, MessageFlags, RESTJSONErrorCodes } from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { discordFeatures } from '../../../platforms/discord/api/features.ts';
import { onePixelPng, silentVoiceMessage } from '../../sample-files.ts';
import { refused, type Step, type StepResult, unclear, works } from '../../step.ts';
import { type DiscordContext, label, post } from '../context.ts';
import { explain, isTooLarge, refusalText, withPermission } from '../refusals.ts';

const mebibyte = 1024 * 1024;
/** Left for the form around the file. */
const margin = 1024;

/** Files, voice messages, and how large they may be. */
export const fileSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'file in a message',
    expects: 'works with Attach Files',
    does: 'without the permission refuses commands that make files, before anything is paid for',
    run: (context) =>
      withPermission(context, 'Attach Files', async () => {
        const files = [{ name: 'troupe-live-check.png', data: onePixelPng, contentType: 'image/png' }];
        await post(context, { content: `${label}: a file` }, files);
        return works();
      }),
  },
  {
    name: 'voice message',
    expects: 'works with Send Voice Messages; 50173 where the server takes none',
    does: { works: 'posts clips as voice messages', refused: 'posts clips as mp3 files' },
    feature: discordFeatures.voiceMessage,
    run: (context) =>
      withPermission(context, 'Send Voice Messages', async () => {
        const name = 'voice-message-live-check.ogg';
        const { bytes, seconds, waveform } = silentVoiceMessage;
        const attachments = [{ id: '0', filename: name, duration_secs: seconds, waveform }];
        const files = [{ name, data: bytes, contentType: 'audio/ogg' }];
        await post(context, { flags: MessageFlags.IsVoiceMessage, attachments }, files);
        return works();
      }).catch((error: unknown) => {
        const seen = explain(error);
        return aboutVoice.includes(errorCode(error)) ? seen : unlearnt(seen);
      }),
  },
  {
    name: 'file of just under 10 MiB',
    expects: 'works',
    does: 'makes larger ones smaller, or gives a link',
    run: (context) => upload(context, 10 * mebibyte - margin),
  },
  {
    name: 'file of just under 20 MiB',
    expects: 'works by the documentation; 40005 by reports',
    does: {
      works: 'posts files of up to 20 MiB where no limit is stated',
      refused: 'keeps to 10 MiB where no limit is stated',
    },
    feature: discordFeatures.uploadOver10MiB,
    run: (context) => upload(context, 20 * mebibyte - margin),
  },
];

/** Too large is what is looked for: what Discord refuses for another reason says nothing about the size. */
async function upload(context: DiscordContext, size: number): Promise<StepResult> {
  const files = [
    { name: 'troupe-live-check.bin', data: Buffer.alloc(size), contentType: 'application/octet-stream' },
  ];
  try {
    return unlearnt(
      await withPermission(context, 'Attach Files', async () => {
        await post(context, { content: `${label}: a large file` }, files);
        return works();
      }),
    );
  } catch (error) {
    return isTooLarge(error) ? refused(refusalText(error as DiscordAPIError)) : unlearnt(explain(error));
  }
}

/** What Discord refuses of voice messages themselves; that it takes none at all is told apart by the permissions. */
const aboutVoice: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.InvalidFormBodyOrContentType,
  RESTJSONErrorCodes.VoiceMessagesDoNotSupportAdditionalContent,
  RESTJSONErrorCodes.VoiceMessagesMustHaveASingleAudioAttachment,
  RESTJSONErrorCodes.VoiceMessagesMustHaveSupportingMetadata,
];

/** A refusal for another reason than the one that is looked for: it isn't remembered. */
function unlearnt(seen: StepResult): StepResult {
  return seen.kind === 'refused' ? unclear(seen.text) : seen;
}
