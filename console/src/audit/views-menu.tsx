import { Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useSavedViews } from './saved-views.ts';
import { filtersIn } from './stored-views.ts';
import { useAuditSearch } from './use-search.ts';

/** The saved views of the person, and the way to save this one. */
export function ViewsMenu() {
  const { t } = useTexts();
  const { search, isFiltered, setFilters } = useAuditSearch();
  const { views, save, remove } = useSavedViews();
  const [isNaming, setNaming] = useState(false);
  const filters = filtersIn(search);
  const current = views.find((view) => JSON.stringify(view.filters) === JSON.stringify(filters));
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">{current?.name ?? t('audit.views')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && <Menu.Label>{t('audit.noViews')}</Menu.Label>}
          {views.map((view) => (
            <Menu.Item key={view.name} onClick={() => setFilters(view.filters)}>
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            disabled={!isFiltered || current !== undefined}
            onClick={() => setNaming(true)}
          >
            {t('audit.saveView')}
          </Menu.Item>
          {current && (
            <Menu.Item onClick={() => remove(current.name)}>
              {t('audit.removeView', { name: current.name })}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isNaming && (
        <NameDialog onSave={(name) => save({ name, filters })} onClose={() => setNaming(false)} />
      )}
    </>
  );
}

function NameDialog({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }) {
  const { t } = useTexts();
  const [name, setName] = useState('');
  return (
    <Dialog title={t('audit.saveView')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '') return;
          onSave(name.trim());
          onClose();
        }}
      >
        <Stack>
          <TextInput
            label={t('audit.viewName')}
            description={t('audit.viewNameAbout')}
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Group>
            <Button type="submit" disabled={name.trim() === ''}>
              {t('form.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
