import type { TestCard } from '../../web/page/page-data.ts';
import { brandNames } from '../../web/page/texts.ts';
import { type Scenario, testCardScenarios } from '../payments/acquirer/sandbox/test-cards.ts';
import { brandOfCard } from '../payments/card/number.ts';

/** What becomes of a card in a checkout; null: the same as of a card above it, since only renewals differ. */
const outcomes: Readonly<Record<Scenario, string | null>> = {
  approved: 'aprovado',
  issuer_declined: 'recusado pelo banco',
  insufficient_funds: 'recusado: sem limite',
  expired_card: 'recusado: vencido',
  invalid_card_data: 'recusado: dados inválidos',
  suspected_fraud: 'recusado: suspeita de fraude',
  processing_error: 'recusado: falha no processamento',
  slow: 'aprovado depois de 10 segundos',
  answer_lost: 'sem resposta do banco, depois aprovado',
  renewals_declined: null,
  renewals_delayed: null,
  renewals_refused: null,
};

function nameOf(number: string, outcome: string): string {
  const brand = brandOfCard(number);
  return brand === null ? outcome : `${brandNames[brand]}, ${outcome}`;
}

/** The cards of the sandbox as a page offers them (docs/product/sandbox.md#test-cards). */
export const testCards: readonly TestCard[] = [...testCardScenarios].flatMap(([number, scenario]) => {
  const outcome = outcomes[scenario];
  return outcome === null ? [] : [{ number, outcome: nameOf(number, outcome) }];
});
