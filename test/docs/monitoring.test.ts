import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { counters, gauges, histograms, type Metric } from '../../src/lib/telemetry.ts';
import { createMetrics } from '../../src/ops/index.ts';

const read = (file: string) =>
  readFileSync(resolve(import.meta.dirname, '../../docs/monitoring', file), 'utf8');

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const dashboard = JSON.parse(read('dashboard.json')) as {
  readonly title: string;
  readonly uid: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
  readonly panels: readonly Panel[];
};
const { groups } = parse(read('alerts.yml')) as {
  groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

/** What Grafana puts in for its variables. */
const inserted = (expr: string) =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$platform', 'discord|slack');

const queries = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ at: title, expr: inserted(expr), shown: legendFormat })),
  ),
  ...rules.map(({ alert, expr, annotations }) => ({
    at: alert,
    expr,
    shown: Object.values(annotations).join(' '),
  })),
];

const own: Readonly<Record<string, Metric>> = { ...counters, ...histograms, ...gauges };

/** Every process tells the same of these. */
const ofDatabase = new Set([
  'troupe_processes',
  'troupe_renders',
  'troupe_renders_oldest_seconds',
  'troupe_deliveries',
  'troupe_deliveries_oldest_seconds',
  'troupe_credits_reserved',
  'troupe_database_size_bytes',
]);

/** The metric that a series belongs to: a histogram has series for its parts. */
function metricOf(name: string): Metric | undefined {
  const part = /_(?:bucket|sum|count)$/.exec(name)?.[0] ?? '';
  const whole = name.slice(0, name.length - part.length);
  if (part !== '' && Object.hasOwn(histograms, whole)) {
    const { labels } = own[whole] as Metric;
    return { help: '', labels: part === '_bucket' ? { ...labels, le: null } : labels };
  }
  return Object.hasOwn(histograms, name) ? undefined : own[name];
}

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** What a query asks for, by Prometheus' own grammar. @throws if it isn't PromQL. */
function parsed(expr: string): { selectors: Selector[]; grouped: string[] } {
  const selectors: { metric: string; matchers: Selector['matchers'][number][] }[] = [];
  const grouped: string[] = [];
  const tree = parser.parse(expr);
  tree.iterate({
    enter: ({ name, from, to, node }) => {
      const text = expr.slice(from, to);
      if (name === '⚠') throw new Error(`no PromQL: ${expr} at ${from}`);
      if (name === 'VectorSelector')
        selectors.push({ metric: expr.slice(from, to).split('{')[0] ?? '', matchers: [] });
      if (name === 'UnquotedLabelMatcher') {
        const [label = '', operator = '', value = ''] =
          /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text)?.slice(1) ?? [];
        selectors.at(-1)?.matchers.push({ label, operator, value });
      }
      if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') grouped.push(text);
    },
  });
  return { selectors, grouped };
}

describe('the checks of this file', () => {
  it('find what is no PromQL, and read what is', () => {
    for (const wrong of ['rate(', 'sum by (a troupe_renders', 'a{b=c}', 'rate(x[5m)'])
      expect(() => parsed(wrong)).toThrow();
    expect(parsed('sum by (kind) (rate(troupe_renders{state!="ready", kind=~"image|video"}[5m]))')).toEqual({
      selectors: [
        {
          metric: 'troupe_renders',
          matchers: [
            { label: 'state', operator: '!=', value: 'ready' },
            { label: 'kind', operator: '=~', value: 'image|video' },
          ],
        },
      ],
      grouped: ['kind'],
    });
  });
});

describe.each(queries)('$at: $expr', ({ expr, shown }) => {
  const { selectors, grouped } = parsed(expr);

  it('asks for metrics there are, by labels and values they have', async () => {
    const { text } = await createMetrics().exposition();
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selectors) {
      if (!metric.startsWith('troupe_')) {
        expect(text).toMatch(new RegExp(`^# TYPE ${metric} `, 'm'));
        continue;
      }
      const { labels } = metricOf(metric) ?? { labels: undefined };
      expect(labels, metric).toBeDefined();
      for (const { label, operator, value } of matchers) {
        expect(labels, `${metric}{${label}}`).toHaveProperty(label);
        const known = labels?.[label];
        const matches = (one: string) =>
          operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(one) : one === value;
        if (known) expect(known.some(matches), `${label}${operator}"${value}"`).toBe(true);
      }
    }
  });

  it('keeps the labels that it shows', () => {
    const known = new Set([...grouped, 'instance', 'job', 'le']);
    const named = [...shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    const all = selectors.flatMap(({ metric }) => Object.keys(metricOf(metric)?.labels ?? {}));
    expect(grouped.filter((name) => !all.includes(name) && name !== 'instance')).toEqual([]);
  });

  it('doesn’t add up what every process tells of the database they share', () => {
    for (const { metric } of selectors.filter((one) => ofDatabase.has(one.metric)))
      expect(expr).toMatch(new RegExp(`max(?: by \\([^)]*\\) | )?\\((?:\\w+\\()*${metric}\\b`));
  });

  it('asks of the bot’s processes alone what all kinds of programs tell', () => {
    if (selectors.some(({ metric }) => !metric.startsWith('troupe_')))
      expect(expr).toMatch(/ and on \(instance\) troupe_build_info$/);
  });

  it('takes the rate of counters alone', () => {
    for (const [, name = ''] of expr.matchAll(/\b(?:rate|increase)\((\w+)/g))
      expect(name).toMatch(/(?:_total|_bucket|_count|_sum)$/);
  });
});

describe('the dashboard', () => {
  it('has what Grafana needs of it: an id each, a place on the grid for each, queries with ids', () => {
    const { panels, schemaVersion, uid } = dashboard;
    expect([schemaVersion >= 36, uid]).toEqual([true, 'troupe']);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { type, targets = [], datasource, gridPos, title } of panels) {
      expect(['row', 'timeseries', 'stat']).toContain(type);
      expect(title).not.toBe('');
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      if (type === 'row') continue;
      // oxlint-disable-next-line no-template-curly-in-string -- Grafana's variable
      expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
      expect(targets.length).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it('has the variables that its queries use', () => {
    const names = dashboard.templating.list.map(({ name }) => name);
    const used = [...JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !names.includes(name) && !name.startsWith('__'))).toEqual([]);
    expect(dashboard.templating.list.at(-1)?.query).toBe('label_values(troupe_platform_ready, platform)');
  });

  it('shows every metric there is', () => {
    const shown = JSON.stringify(dashboard.panels);
    expect(Object.keys(own).filter((name) => !shown.includes(name))).toEqual([]);
  });
});

describe('the alerts', () => {
  it('are the rules of the configuration that reads the metrics', () => {
    const { rule_files, scrape_configs } = parse(read('prometheus.yml')) as {
      rule_files: readonly string[];
      scrape_configs: readonly object[];
    };
    expect(rule_files).toEqual(['alerts.yml']);
    expect(scrape_configs).toEqual([
      {
        job_name: 'troupe',
        authorization: { credentials: 'the METRICS_TOKEN' },
        static_configs: [{ targets: ['127.0.0.1:8787'] }],
      },
    ]);
  });

  it('have names of their own, how bad it is, what it means and what to do', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations, ...rule } of rules) {
      expect(alert).toMatch(/^Troupe[A-Z]\w+$/);
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(Object.keys(annotations)).toEqual(['summary', 'description']);
      expect(rule.for ?? '0m').toMatch(/^\d+[smh]$/);
    }
  });
});
