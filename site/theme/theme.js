import { useData, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h, onMounted, watch } from 'vue';
import './style.css';

/** Leads to the API reference that the gateway serves above this site, where calls can be tried. */
const ReferenceLink = {
  render: () =>
    h('a', { class: 'reference-link', href: withBase('/..'), target: '_self' }, 'Try a call'),
};

/** The home page of VitePress has no main landmark; the other pages have one. */
function useMainLandmark() {
  const { frontmatter } = useData();
  const mark = () => {
    const content = document.getElementById('VPContent');
    if (frontmatter.value.layout === 'home') content?.setAttribute('role', 'main');
    else content?.removeAttribute('role');
  };
  onMounted(mark);
  watch(frontmatter, mark, { flush: 'post' });
}

/** @type {import('vitepress').Theme} */
export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('ReferenceLink', ReferenceLink),
  setup: useMainLandmark,
};
