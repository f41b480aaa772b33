// Load a game's report: request it again until the server has computed it.
import type { CallError } from './api';
import type { Progress } from './source';
import type { Report } from './types';
import { t } from './i18n.svelte';

const PAUSE = 1500; // milliseconds between two requests

export class ReportLoader {
  report = $state.raw<Report | null>(null);
  says = $state('');
  private timer = 0;
  private ended = false;

  constructor(private ask: () => Promise<Progress>) {
    void this.look();
  }

  private async look(): Promise<void> {
    try {
      const { done, rounds, report } = await this.ask();
      this.report = report;
      this.says = report ? '' : rounds ? t('The report is being made: {done} of {rounds, plural, one {# round} other {# rounds}} …', { done, rounds }) : t('The report is being made …');
      if (!report) this.again();
    } catch (error) {
      this.says = t('No report: {reason}', { reason: (error as Error).message });
      if ([0, 429, 503].includes((error as CallError).status)) this.again();
    }
  }

  private again(): void {
    if (!this.ended) this.timer = window.setTimeout(() => void this.look(), PAUSE);
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
