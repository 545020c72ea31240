import type { TestCard } from '../../web/page/page-data.ts';
import { brandNames, type Worded } from '../../web/page/texts.ts';
import { type Scenario, testCardScenarios } from '../payments/acquirer/sandbox/test-cards.ts';
import { brandOfCard } from '../payments/card/number.ts';

/** What becomes of a card in a checkout; null: the same as of a card above it, since only renewals differ. */
const outcomes: Readonly<Record<Scenario, Worded | null>> = {
  approved: { pt: 'aprovado', en: 'approved' },
  issuer_declined: { pt: 'recusado pelo banco', en: 'declined by the bank' },
  insufficient_funds: { pt: 'recusado: sem limite', en: 'declined: no limit left' },
  expired_card: { pt: 'recusado: vencido', en: 'declined: expired' },
  invalid_card_data: { pt: 'recusado: dados inválidos', en: 'declined: invalid data' },
  suspected_fraud: { pt: 'recusado: suspeita de fraude', en: 'declined: suspected fraud' },
  processing_error: { pt: 'recusado: falha no processamento', en: 'declined: processing error' },
  slow: { pt: 'aprovado depois de 10 segundos', en: 'approved after 10 seconds' },
  answer_lost: { pt: 'sem resposta do banco, depois aprovado', en: 'no answer of the bank, then approved' },
  renewals_declined: null,
  renewals_delayed: null,
  renewals_refused: null,
};

function nameOf(number: string, outcome: Worded): Worded {
  const brand = brandOfCard(number);
  if (brand === null) return outcome;
  const name = brandNames[brand];
  return { pt: `${name}, ${outcome.pt}`, en: `${name}, ${outcome.en}` };
}

/** The cards of the sandbox as a page offers them (docs/product/sandbox.md#test-cards). */
export const testCards: readonly TestCard[] = [...testCardScenarios].flatMap(([number, scenario]) => {
  const outcome = outcomes[scenario];
  return outcome === null ? [] : [{ number, outcome: nameOf(number, outcome) }];
});
