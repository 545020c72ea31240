import { writeFileSync } from 'node:fs';
import { prometheusRules } from './prometheus-rules.ts';

writeFileSync('deploy/prometheus/rules.yaml', prometheusRules());
