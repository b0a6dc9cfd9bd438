import { speechRate } from '../synthesizer.ts';
import { type Clip, concatenate, type SpeechStream } from './clip.ts';

const headerBytes = 44;
const bytesPerSample = 2;

/** RIFF WAVE, 16-bit PCM, one channel, 22050 Hz. */
export function encodeWav(speech: SpeechStream): Clip {
  const parts: Uint8Array[] = [];
  let dataBytes = 0;
  for (const samples of speech) {
    parts.push(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
    dataBytes += samples.byteLength;
  }
  const bytes = concatenate([header(dataBytes), ...parts]);
  return { bytes, contentType: 'audio/wav', seconds: dataBytes / bytesPerSample / speechRate };
}

function header(dataBytes: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(headerBytes));
  const tag = (at: number, name: string) => {
    for (let i = 0; i < name.length; i++) view.setUint8(at + i, name.charCodeAt(i));
  };
  tag(0, 'RIFF');
  view.setUint32(4, headerBytes - 8 + dataBytes, true);
  tag(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, speechRate, true);
  view.setUint32(28, speechRate * bytesPerSample, true);
  view.setUint16(32, bytesPerSample, true);
  view.setUint16(34, 8 * bytesPerSample, true);
  tag(36, 'data');
  view.setUint32(40, dataBytes, true);
  return new Uint8Array(view.buffer);
}
