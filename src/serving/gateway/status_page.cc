// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/status_page.h"

namespace mycel::serving {

std::string_view status_page() {
  return R"page(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Serving</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>
:root{color-scheme:light dark;--line:#8884;--accent:#2a7de1;--bad:#d33}
body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;margin:0 0 .2rem}h2{font-size:1.1rem;margin:2rem 0 .4rem}
table{border-collapse:collapse;width:100%}th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:right}
th{font-weight:600}th:first-child,td:first-child{text-align:left}
.state{font-size:.8rem;border:1px solid var(--line);border-radius:1rem;padding:.05rem .6rem;margin-left:.6rem}
.ready{border-color:var(--accent);color:var(--accent)}.bad{color:var(--bad)}
svg{width:100%;height:9rem;display:block;margin-top:.6rem}rect{fill:var(--accent)}text{font-size:10px;fill:currentColor}
small{opacity:.7}
</style></head><body>
<h1>Serving</h1><small id="now">reading</small><div id="all"></div>
<script>
const node=(tag,text,kind)=>{const e=document.createElement(tag);if(text!==undefined)e.textContent=text;if(kind)e.className=kind;return e};
const time=s=>s===0?'–':s<1e-3?(s*1e6).toFixed(0)+' µs':s<1?(s*1e3).toFixed(1)+' ms':s.toFixed(2)+' s';
const row=(table,tag,values)=>{const r=node('tr');values.forEach(v=>r.append(node(tag,v)));table.append(r)};
const before={};let at=0;
function curve(counts){
  const first=counts.findIndex(c=>c>0);if(first<0)return node('small','no request yet');
  const last=counts.length-1-[...counts].reverse().findIndex(c=>c>0);
  const from=Math.max(first-2,0),to=Math.min(last+2,counts.length-1),n=to-from+1,most=Math.max(...counts),w=600/n;
  const ns='http://www.w3.org/2000/svg',svg=document.createElementNS(ns,'svg');svg.setAttribute('viewBox','0 0 600 120');
  svg.setAttribute('preserveAspectRatio','none');svg.setAttribute('role','img');svg.setAttribute('aria-label','latency of requests');
  for(let i=from;i<=to;i++){
    const h=counts[i]/most*95,r=document.createElementNS(ns,'rect');
    r.setAttribute('x',(i-from)*w+1);r.setAttribute('width',Math.max(w-2,1));r.setAttribute('y',100-h);r.setAttribute('height',h);
    const t=document.createElementNS(ns,'title');t.textContent='up to '+time(1e-6*2**(i/2))+': '+counts[i];r.append(t);svg.append(r);
    if((i-from)%Math.ceil(n/8)===0){const x=document.createElementNS(ns,'text');x.setAttribute('x',(i-from)*w);x.setAttribute('y',114);
      x.textContent=time(1e-6*2**(i/2));svg.append(x)}
  }
  return svg;
}
async function look(){
  try{
    const status=await (await fetch('status')).json(),now=performance.now(),all=node('div');
    for(const v of status.versions){
      const head=node('h2',v.servable+' version '+v.version);head.append(node('span',v.state,'state '+v.state));all.append(head);
      const table=node('table');row(table,'th',['method','requests','per second','instances','failed','refused','median','99 %']);
      for(const m of v.methods){
        const key=v.servable+'/'+v.version+'/'+m.name,rate=key in before&&at?(m.requests-before[key])/(now-at)*1e3:0;before[key]=m.requests;
        row(table,'td',[m.name,m.requests,rate.toFixed(rate<10?1:0),m.instances,m.failed_instances,m.refused,time(m.p50_seconds),time(m.p99_seconds)]);
      }
      all.append(table);
      for(const m of v.methods){all.append(node('small',m.name+': requests by latency'));all.append(curve(m.latency_buckets))}
      const workers=node('table');row(workers,'th',['worker','process','state','restarts']);
      for(const w of v.workers)row(workers,'td',[w.kind,w.process,w.ready?'ready':'not there',w.restarts]);
      all.append(workers,node('small',v.waiting+' instances waiting, '+v.running+' at workers'));
    }
    if(!status.versions.length)all.append(node('p','No servable is loaded.'));
    at=now;document.getElementById('all').replaceChildren(all);
    document.getElementById('now').textContent=status.open_requests+' requests on their way, '+new Date().toLocaleTimeString();
    document.getElementById('now').className='';
  }catch(problem){document.getElementById('now').textContent='the server does not answer';document.getElementById('now').className='bad'}
}
look();setInterval(look,1000);
</script></body></html>
)page";
}

}  // namespace mycel::serving
