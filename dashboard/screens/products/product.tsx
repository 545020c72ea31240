import type { Product } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura, useRead } from '../../api/queries.ts';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { MissingNote } from '../../parts/missing-note.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { PriceDialog } from './price-dialog.tsx';
import { Prices } from './prices.tsx';
import { ProductDialog } from './product-dialog.tsx';
import { ProductStatus } from './products.tsx';
import { productTexts } from './texts.ts';

const route = getRouteApi('/frame/products/$id');

type Asking = 'edit' | 'price' | 'active' | null;

interface QuestionsProps {
  readonly product: Product;
  readonly asking: Asking;
  readonly onClose: () => void;
}

function Questions({ product, asking, onClose }: QuestionsProps) {
  const texts = useTexts(productTexts);
  const fatura = useFatura();
  const { id, active } = product;
  const action = active ? texts.deactivate : texts.activate;
  return (
    <>
      <ProductDialog
        title={texts.editTitle}
        action={texts.save}
        done={texts.saved}
        product={product}
        act={(changes, options) => fatura.products.update(id, changes, options)}
        onDone={onClose}
        isOpen={asking === 'edit'}
        onClose={onClose}
      />
      <PriceDialog product={id} isOpen={asking === 'price'} onClose={onClose} />
      <Confirm
        title={action}
        action={action}
        act={(options) => fatura.products.update(id, { active: !active }, options)}
        done={active ? texts.deactivated : texts.activated}
        isDanger={active}
        isOpen={asking === 'active'}
        onClose={onClose}
      >
        <p>{active ? texts.deactivateText : product.name}</p>
      </Confirm>
    </>
  );
}

function ProductActions({ product }: { product: Product }) {
  const texts = useTexts(productTexts);
  const role = useRoleRefusal();
  const [asking, ask] = useState<Asking>(null);
  const refused = role('products.update');
  const noPrice = role('prices.create');
  return (
    <>
      {noPrice === null && (
        <Button kind="primary" onPress={() => ask('price')}>
          {texts.newPrice}
        </Button>
      )}
      <ActionMenu
        actions={[
          ...(noPrice === null ? [] : [{ id: 'price', name: texts.newPrice, run: () => {}, refused: noPrice }]),
          { id: 'edit', name: texts.edit, run: () => ask('edit'), refused },
          {
            id: 'active',
            name: product.active ? texts.deactivate : texts.activate,
            run: () => ask('active'),
            refused,
            isDanger: product.active,
          },
        ]}
      />
      <Questions product={product} asking={asking} onClose={() => ask(null)} />
    </>
  );
}

/** A product, and what it costs. */
export function ProductScreen() {
  const { id } = route.useParams();
  const texts = useTexts(productTexts);
  const { data, error, refetch } = useRead(['products', id], (fatura, options) =>
    fatura.products.retrieve(id, options),
  );
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  return (
    <Page title={data.name} aside={<ProductStatus {...data} />} actions={<ProductActions product={data} />}>
      <Panel title={texts.about}>
        <Facts
          facts={[
            [texts.description, data.description],
            [texts.externalCode, data.external_code],
            [texts.created, <When key="created" at={data.created} as="date" />],
            [texts.id, <Copyable key="id" text={data.id} name={texts.theId} />],
          ]}
        />
      </Panel>
      <Prices product={id} />
    </Page>
  );
}
