/** The smallest files that are what they say. */

const oggHead =
  'T2dnUwACAAAAAAAAAAB1b3J0AAAAADZRjMEBE09wdXNIZWFkAQEAAIC7AAAAAABPZ2dTAAAAAAAAAAAAAHVvcnQBAAAAqVu6rwEWT3B1c1RhZ3MGAAAAdHJvdXBlAAAAAE9nZ1MABIC7AAAAAAAAdW9ydAIAAAA3MX7tMgMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMD';
const silentPacket = Buffer.from([0xf8, 0xff, 0xfe]);

/** A second of silence: fifty packets of Opus in Ogg. */
export const silence = {
  bytes: Buffer.concat([
    Buffer.from(oggHead, 'base64'),
    Buffer.alloc(50 * silentPacket.length, silentPacket),
  ]),
  seconds: 1,
  waveform: Buffer.alloc(10).toString('base64'),
} as const;

/** A picture of one dot. */
export const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
