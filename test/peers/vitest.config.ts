import { defineConfig } from 'vitest/config';
import common from '../vitest.config.ts';

const { projects, ...test } = common.test ?? {};

export default defineConfig({ test: { ...test, include: ['test/peers/*.test.ts'], exclude: [] } });
