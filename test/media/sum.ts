import { serve } from '../../src/media/index.ts';

serve(async ({ bytes }: { readonly bytes: Uint8Array }) => bytes.reduce((sum, byte) => sum + byte, 0));
