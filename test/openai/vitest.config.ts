import { defineConfig } from 'vitest/config';
import common from '../vitest.config.ts';

export default defineConfig({
  test: { ...common.test, include: ['test/openai/*.test.ts'], exclude: [] },
});
