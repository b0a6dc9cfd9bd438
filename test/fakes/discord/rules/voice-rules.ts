import { type Fields, objectsAt } from '../http/fields.ts';
import type { UploadedFile } from '../http/form-data.ts';
import { invalidField, refusals } from '../http/refusal.ts';

/**
 * Checks a voice message (resources/message, voice messages): one `audio/*` file and nothing else,
 * with duration and a waveform of at most 256 bytes. Stricter than Discord: the file must be Ogg Opus
 * and its length must be the one that is stated, to a second.
 */
export function checkVoiceMessage(body: Fields, files: readonly UploadedFile[]): void {
  for (const name of ['content', 'embeds', 'components', 'sticker_ids', 'poll'] as const) {
    const value = body[name];
    if (
      value !== undefined &&
      value !== null &&
      value !== '' &&
      !(Array.isArray(value) && value.length === 0)
    )
      throw invalidField(name, 'VOICE_MESSAGE_CONTENT', 'Voice messages hold nothing but their audio.');
  }
  const [file] = files;
  if (!file || files.length !== 1 || !file.contentType.startsWith('audio/'))
    throw refusals.voiceNeedsOneAudioFile();
  const [metadata] = objectsAt(body, 'attachments');
  if (!metadata || typeof metadata.duration_secs !== 'number' || typeof metadata.waveform !== 'string')
    throw refusals.voiceNeedsMetadata();
  const waveform = Buffer.from(metadata.waveform, 'base64');
  if (waveform.length === 0 || waveform.length > 256 || waveform.toString('base64') !== metadata.waveform)
    throw invalidField(
      'attachments.0.waveform',
      'VOICE_MESSAGE_WAVEFORM',
      'A waveform has 1 to 256 bytes of base64.',
    );
  const seconds = opusSeconds(file.bytes);
  if (seconds === undefined)
    throw invalidField('files.0', 'VOICE_MESSAGE_CODEC', 'Voice messages are Ogg Opus.');
  if (Math.abs(seconds - metadata.duration_secs) > 1)
    throw invalidField(
      'attachments.0.duration_secs',
      'VOICE_MESSAGE_DURATION',
      `The file lasts ${seconds} s.`,
    );
}

/** Seconds of an Ogg Opus file (RFC 7845: last granule position less the pre-skip, at 48 kHz). */
function opusSeconds(bytes: Uint8Array): number | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = buffer.indexOf('OpusHead');
  if (buffer.toString('latin1', 0, 4) !== 'OggS' || head < 0 || head > 64) return undefined;
  const last = buffer.lastIndexOf('OggS');
  const granule = Number(buffer.readBigInt64LE(last + 6));
  return Math.max(0, granule - buffer.readUInt16LE(head + 10)) / 48_000;
}
