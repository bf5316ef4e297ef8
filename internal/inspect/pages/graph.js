// Lets a drawing be enlarged by buttons, keys and the wheel, and moved by dragging. Without it a drawing is scrolled.
'use strict';
for (const stage of document.querySelectorAll('.stage')) {
	const svg = stage.querySelector('svg'), {width, height} = svg.viewBox.baseVal;
	let scale = 1;
	const show = (next, x, y) => { // the point x, y of the stage stays where it is
		const before = scale;
		scale = Math.min(4, Math.max(0.1, next));
		svg.style.width = width * scale + 'px';
		svg.style.height = height * scale + 'px';
		stage.scrollTo((stage.scrollLeft + x) * scale / before - x, (stage.scrollTop + y) * scale / before - y);
	};
	const middle = factor => show(scale * factor, stage.clientWidth / 2, stage.clientHeight / 2);
	const whole = () => show(Math.min(1, stage.clientWidth / width, stage.clientHeight / height), 0, 0);
	const actions = {'+': ['Larger', () => middle(1.25)], '-': ['Smaller', () => middle(0.8)], '0': ['All of it', whole]};
	const tools = document.createElement('div');
	tools.className = 'tools';
	for (const [key, [name, act]] of Object.entries(actions)) {
		const button = document.createElement('button');
		button.type = 'button';
		button.textContent = `${name} (${key})`;
		button.addEventListener('click', act);
		tools.append(button);
	}
	stage.before(tools);
	stage.addEventListener('keydown', e => {
		const action = actions[e.key === '=' ? '+' : e.key];
		if (action && !e.ctrlKey && !e.metaKey) {
			action[1]();
			e.preventDefault();
		}
	});
	stage.addEventListener('wheel', e => {
		if (e.ctrlKey) { // as a pinch does
			const box = stage.getBoundingClientRect();
			show(scale * Math.exp(-e.deltaY / 300), e.clientX - box.left, e.clientY - box.top);
			e.preventDefault();
		}
	}, {passive: false});
	let moved = 0;
	stage.addEventListener('pointerdown', e => { moved = 0; });
	stage.addEventListener('pointermove', e => {
		if (e.buttons === 1 && e.pointerType === 'mouse') {
			moved += Math.abs(e.movementX) + Math.abs(e.movementY);
			stage.scrollBy(-e.movementX, -e.movementY);
		}
	});
	stage.addEventListener('click', e => { // which ends a drag, and is none
		if (moved > 5) {
			e.preventDefault();
		}
	}, true);
	stage.addEventListener('dragstart', e => e.preventDefault());
}
