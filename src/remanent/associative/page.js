const svg=document.querySelector("svg"),said=document.getElementById("said"),find=document.getElementById("find");
const nodes=[...svg.querySelectorAll("[data-id]")],links=[...svg.querySelectorAll(".link")];
const box=svg.viewBox.baseVal,whole=[box.x,box.y,box.width,box.height];let held=null,start=null;
function at(x,y,w,h){box.x=x;box.y=y;box.width=w;box.height=h;}
// Words have the size at which they can be read, where the focuses are; a double click shows the whole, or goes back.
const attended=nodes.filter(n=>n.classList.contains("focus")).map(n=>[n.cx.baseVal.value,n.cy.baseVal.value]);
const mean=i=>attended.length?attended.reduce((s,p)=>s+p[i],0)/attended.length:whole[i]+whole[i+2]/2;
function near(){const w=Math.min(innerWidth,whole[2]),h=Math.min(innerHeight,whole[3]);
const fit=(v,from,size,all)=>Math.max(from,Math.min(v-size/2,from+all-size));
at(fit(mean(0),whole[0],w,whole[2]),fit(mean(1),whole[1],h,whole[3]),w,h);}
near();svg.addEventListener("dblclick",()=>box.width<whole[2]||box.height<whole[3]?at(...whole):near());
const told=n=>n.querySelector("title").textContent;
function show(lit){svg.classList.toggle("dim",lit!==null);
for(const e of [...nodes,...links])e.classList.toggle("lit",lit!==null&&lit.has(e));}
function around(node){const lit=new Set([node]),id=node.dataset.id;
for(const l of links){const ends=l.dataset.ends.split(" ");if(ends.includes(id)){lit.add(l);
for(const n of nodes)if(ends.includes(n.dataset.id))lit.add(n);}}return lit;}
function point(node){said.textContent=node?told(node):"";if(node)show(around(node));else search();}
function search(){const words=find.value.toLowerCase().trim();
show(words?new Set(nodes.filter(n=>told(n).toLowerCase().includes(words))):null);}
for(const n of nodes){n.addEventListener("pointerenter",()=>held||point(n));
n.addEventListener("pointerleave",()=>held||point(null));
n.addEventListener("click",e=>{held=held===n?null:n;point(held);e.stopPropagation();});}
find.addEventListener("input",()=>{held=null;said.textContent="";search();});
svg.addEventListener("click",()=>{held=null;point(null);});
svg.addEventListener("wheel",e=>{e.preventDefault();const f=e.deltaY>0?1.15:1/1.15,r=svg.getBoundingClientRect();
const x=box.x+(e.clientX-r.left)/r.width*box.width,y=box.y+(e.clientY-r.top)/r.height*box.height;
box.x=x-(x-box.x)*f;box.y=y-(y-box.y)*f;box.width*=f;box.height*=f;},{passive:false});
svg.addEventListener("pointerdown",e=>{start=[e.clientX,e.clientY,box.x,box.y];});
addEventListener("pointermove",e=>{if(!start)return;const r=svg.getBoundingClientRect();
const f=Math.max(box.width/r.width,box.height/r.height);
box.x=start[2]-(e.clientX-start[0])*f;box.y=start[3]-(e.clientY-start[1])*f;});
addEventListener("pointerup",()=>{start=null;});
