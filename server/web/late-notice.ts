import type { LateFees } from '../../contract/late-fees.ts';
import { spoken } from '../../web/page/spoken.ts';
import type { Language, Worded } from '../../web/page/texts.ts';

function costsIn(language: Language, { fine_percentage: fine, interest_percentage: interest }: LateFees): string {
  const words = language === 'pt' ? { fine: 'multa de', interest: 'juros de', month: 'ao mês', and: 'e' } : ENGLISH;
  const { percentage } = spoken[language];
  return [
    ...(fine > 0 ? [`${words.fine} ${percentage(fine)}`] : []),
    ...(interest > 0 ? [`${words.interest} ${percentage(interest)} ${words.month}`] : []),
  ].join(` ${words.and} `);
}

const ENGLISH = { fine: 'a fine of', interest: 'interest of', month: 'a month', and: 'and' };

/** What its buyer is told that late payment costs, before it does; null: nothing. */
export function lateNotice(lateFees: LateFees | null): Worded | null {
  if (lateFees === null || lateFees.fine_percentage + lateFees.interest_percentage === 0) return null;
  const { grace_days: grace, collect } = lateFees;
  const isNext = collect === 'next_invoice';
  const { pt, en } = spoken;
  return {
    pt: `${grace === 0 ? 'Após o vencimento' : `Com mais de ${pt.texts.days(grace)} de atraso`}: ${costsIn('pt', lateFees)}${isNext ? ', na fatura seguinte' : ''}.`,
    en: `${grace === 0 ? 'After the due date' : `More than ${en.texts.days(grace)} late`}: ${costsIn('en', lateFees)}${isNext ? ', with the next bill' : ''}.`,
  };
}
