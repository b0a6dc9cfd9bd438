import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { serve } from '../../media/index.ts';

/** Seconds of any clip that mediabunny can read; undefined if it can't. */
async function lengthOf(bytes: Uint8Array): Promise<number | undefined> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  try {
    // Zero may have been written before the sound.
    const seconds = (await input.getDurationFromMetadata()) || (await input.computeDuration());
    return Number.isFinite(seconds) ? seconds : undefined;
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}

serve(({ bytes }: { readonly bytes: Uint8Array }) => lengthOf(bytes));
