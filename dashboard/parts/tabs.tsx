import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components';

interface TabsProps<T extends string> {
  readonly label: string;
  readonly selected: T;
  readonly onSelect: (tab: T) => void;
  readonly tabs: readonly { readonly id: T; readonly title: string; readonly content: () => ReactNode }[];
}

/** Parts of a screen of which one is shown; which one stands in the address, so the screen keeps it. */
export function Tabs<T extends string>({ label, selected, onSelect, tabs }: TabsProps<T>) {
  const select = (key: string | number): void => {
    const tab = tabs.find(({ id }) => id === key);
    if (tab !== undefined) onSelect(tab.id);
  };
  return (
    <AriaTabs className="tabs" selectedKey={selected} onSelectionChange={select}>
      <TabList className="tab-list" aria-label={label}>
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {content()}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
