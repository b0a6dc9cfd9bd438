import { type DiscordAPIError, MessageFlags, RESTJSONErrorCodes } from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { discordFeatures } from '../../../platforms/discord/api/features.ts';
import { galleryBody, messageBody } from '../../../platforms/discord/api/message-body.ts';
import { onePixelPng, silentVoiceMessage } from '../../sample-files.ts';
import { refused, type Step, type StepResult, unclear, works } from '../../step.ts';
import { type DiscordContext, editMessage, label, post, postText } from '../context.ts';
import { explain, isTooLarge, refusalText, withPermission } from '../refusals.ts';

const mebibyte = 1024 * 1024;
/** Bytes left for the request around the file. */
const margin = 1024;

/** Files, their sizes, and voice messages. */
export const fileSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'file in a message',
    expects: 'works with Attach Files',
    does: 'posts files; without the permission it refuses commands that make files before anything is paid for',
    run: (context) =>
      withPermission(context, 'Attach Files', async () => {
        const files = [{ name: 'troupe-live-check.png', data: onePixelPng, contentType: 'image/png' }];
        await post(context, { content: `${label}: a file` }, files);
        return works();
      }),
  },
  {
    name: 'voice message',
    expects:
      'works with Send Voice Messages, without Attach Files too; 50173 if the server refuses voice messages',
    does: { works: 'posts clips as voice messages', refused: 'posts clips as MP3 files' },
    feature: discordFeatures.voiceMessage,
    run: (context) =>
      withPermission(context, 'Send Voice Messages', async () => {
        await postVoiceMessage(context);
        return works();
      }).catch((error: unknown) => {
        const result = explain(error);
        return voiceMessageCodes.includes(errorCode(error)) ? result : unclearIfRefused(result);
      }),
  },
  {
    name: 'voice message as a reply',
    expects: 'not documented; a reply needs Read Message History',
    does: 'posts clips as replies to the answer they belong to; where that’s refused, as messages of their own',
    run: (context) =>
      withPermission(context, 'Send Voice Messages', async () => {
        const { id } = await postText(context, 'a message that a voice message replies to');
        await postVoiceMessage(context, { message_reference: { message_id: id } });
        return works();
      }).catch((error: unknown) => unclearIfRefused(explain(error))),
  },
  {
    name: 'gallery in an edit',
    expects: 'documented to work; reported to fail, the files aren’t found (50035)',
    does: {
      works: 'shows several images as a gallery',
      refused: 'shows several images in a grid',
    },
    feature: discordFeatures.galleryByEdit,
    run: (context) =>
      withPermission(context, 'Attach Files', async () => {
        const name = 'troupe-live-check.png';
        const { id } = await postText(context, 'a message that becomes a gallery');
        const body = galleryBody(messageBody(`${label}: a gallery`), [{ id: '0', filename: name }]);
        await editMessage(context, id, body, [{ name, data: onePixelPng, contentType: 'image/png' }]);
        return works();
      }).catch((error: unknown) => {
        const result = explain(error);
        return errorCode(error) === RESTJSONErrorCodes.InvalidFormBodyOrContentType
          ? result
          : unclearIfRefused(result);
      }),
  },
  {
    name: 'file of just under 10 MiB',
    expects: 'works',
    does: 're-encodes larger files, or posts a link',
    run: (context) => upload(context, 10 * mebibyte - margin),
  },
  {
    name: 'file of just under 20 MiB',
    expects: 'documented to work; reported to fail (40005)',
    does: {
      works: 'posts files of up to 20 MiB where Discord states no limit',
      refused: 'posts files of up to 10 MiB there',
    },
    feature: discordFeatures.uploadOver10MiB,
    run: (context) => upload(context, 20 * mebibyte - margin),
  },
];

/** Only "too large" says something about the size; another refusal doesn't. */
async function upload(context: DiscordContext, size: number): Promise<StepResult> {
  const files = [
    { name: 'troupe-live-check.bin', data: Buffer.alloc(size), contentType: 'application/octet-stream' },
  ];
  try {
    return unclearIfRefused(
      await withPermission(context, 'Attach Files', async () => {
        await post(context, { content: `${label}: a large file` }, files);
        return works();
      }),
    );
  } catch (error) {
    return isTooLarge(error)
      ? refused(refusalText(error as DiscordAPIError))
      : unclearIfRefused(explain(error));
  }
}

async function postVoiceMessage(context: DiscordContext, more: object = {}): Promise<void> {
  const name = 'voice-message-live-check.ogg';
  const { bytes, seconds, waveform } = silentVoiceMessage;
  const attachments = [{ id: '0', filename: name, duration_secs: seconds, waveform }];
  const files = [{ name, data: bytes, contentType: 'audio/ogg' }];
  await post(context, { ...more, flags: MessageFlags.IsVoiceMessage, attachments }, files);
}

/** Codes about voice messages themselves; missing permissions are reported as such. */
const voiceMessageCodes: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.InvalidFormBodyOrContentType,
  RESTJSONErrorCodes.VoiceMessagesDoNotSupportAdditionalContent,
  RESTJSONErrorCodes.VoiceMessagesMustHaveASingleAudioAttachment,
  RESTJSONErrorCodes.VoiceMessagesMustHaveSupportingMetadata,
];

/** A refusal for another reason isn't remembered. */
function unclearIfRefused(result: StepResult): StepResult {
  return result.kind === 'refused' ? unclear(result.text) : result;
}
