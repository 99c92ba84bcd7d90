import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { onMounted, watch } from 'vue';
import './style.css';

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
  setup: useMainLandmark,
};
