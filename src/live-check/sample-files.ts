/** Very small files of each type. */

const oggHead =
  'T2dnUwACAAAAAAAAAAB1b3J0AAAAADZRjMEBE09wdXNIZWFkAQEAAIC7AAAAAABPZ2dTAAAAAAAAAAAAAHVvcnQBAAAAqVu6rwEWT3B1c1RhZ3MGAAAAdHJvdXBlAAAAAE9nZ1MABIC7AAAAAAAAdW9ydAIAAAA3MX7tMgMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMD';
const silentPacket = Buffer.from([0xf8, 0xff, 0xfe]);

/** One second of silence: fifty packets of Opus in Ogg. */
export const silentVoiceMessage = {
  bytes: Buffer.concat([
    Buffer.from(oggHead, 'base64'),
    Buffer.alloc(50 * silentPacket.length, silentPacket),
  ]),
  seconds: 1,
  waveform: Buffer.alloc(10).toString('base64'),
} as const;

/** One frame of silence: MPEG-1 layer III, 128 kbit/s, 44.1 kHz. */
export const shortMp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);

/** A hundredth of a second of silence: one channel, 16 bits, 8 kHz. */
export const shortWav = Buffer.concat([
  Buffer.from(
    '52494646c400000057415645666d74201000000001000100401f0000803e00000200100064617461a0000000',
    'hex',
  ),
  Buffer.alloc(160),
]);

/** The header of an MP4, without any frame. */
export const emptyMp4 = Buffer.from('000000146674797069736f6d0000020069736f6d0000000866726565', 'hex');

/** A picture of one pixel. */
export const onePixelPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
