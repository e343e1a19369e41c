import { foldRun } from "../tokenization/index.js"
import { type ListedRelations, listedRelations } from "./listed-relations.js"

/** Words of handbooks and news in their base forms. "!" stands between opposites. */
const pairs = `
empleado trabajador | empleado asalariado | jefe superior | jefe director | gerente director | empresa compañía |
empresa sociedad | compañía firma | salario sueldo | sueldo paga | vacaciones descanso | despedir cesar |
despido cese | contratar emplear | candidato aspirante | departamento sección | departamento división | tarea labor |
trabajo labor | trabajo empleo | empleo puesto | oficio profesión | reunión junta | reunión encuentro | congreso conferencia |
cliente comprador | vendedor comerciante | proveedor suministrador | contrato acuerdo | acuerdo convenio | pacto acuerdo |
tratado acuerdo | factura recibo | precio coste | coste costo | precio costo | gasto coste | tarifa precio | cuota tarifa |
descuento rebaja | reducción rebaja | reembolso devolución | reembolsar devolver | pagar abonar | pago abono |
comprar adquirir | compra adquisición | vender comercializar | alquilar arrendar | inquilino arrendatario | alquiler arrendamiento |
dueño propietario | propietario titular | poseer tener | vivienda casa | casa hogar | edificio inmueble | apartamento piso |
oficina despacho | sede central | sucursal filial | lugar sitio | lugar ubicación | sitio emplazamiento | zona área |
región zona | zona territorio | barrio distrito | ciudad urbe | país nación | estado nación | frontera límite |
habitante residente | ciudadano habitante | pueblo nación | gente personas | persona individuo | niño chico | joven adolescente |
médico doctor | medicamento medicina | fármaco medicamento | enfermedad dolencia | herida lesión | hospital clínica |
paciente enfermo | tratamiento terapia | tratar curar | vacuna inmunización | escuela colegio | universidad facultad |
alumno estudiante | profesor maestro | profesor docente | enseñanza educación | enseñar instruir | formación capacitación |
curso clase | examen prueba | conocimiento saber | investigación estudio | investigador científico | investigar estudiar |
análisis estudio | analizar examinar | descubrir hallar | encontrar hallar | encontrar localizar | averiguar determinar |
demostrar probar | demostrar mostrar | prueba evidencia | comenzar empezar | comenzar iniciar | empezar iniciar |
comienzo inicio | inicio principio | terminar acabar | terminar finalizar | finalizar concluir | acabar concluir |
fin final | término fin | conclusión fin | durar perdurar | continuar seguir | proseguir continuar | interrumpir suspender |
pausa interrupción | detener parar | retraso demora | retrasar demorar | plazo término | anual anualmente |
frecuente habitual | frecuentemente habitualmente | normalmente generalmente | normalmente habitualmente |
siempre constantemente | inmediatamente enseguida | actualmente ahora | actual presente | hoy actualmente |
antes anteriormente | antiguo anterior | previo anterior | después posteriormente | luego después | posterior siguiente |
aproximadamente alrededor | aproximadamente cerca | casi prácticamente | grande enorme | enorme inmenso | pequeño diminuto |
rápido veloz | rápidamente velozmente | lento pausado | importante relevante | importante significativo |
esencial fundamental | fundamental básico | necesario preciso | imprescindible necesario | indispensable necesario |
suficiente bastante | completo entero | total completo | entero íntegro | distinto diferente | diverso distinto |
varios diversos | numeroso abundante | igual idéntico | parecido similar | semejante similar | especialmente particularmente |
principalmente mayormente | principal central | difícil complicado | complejo complicado | fácil sencillo | simple sencillo |
correcto acertado | incorrecto erróneo | error fallo | error equivocación | fallo avería | defecto fallo | problema dificultad |
peligroso arriesgado | peligro riesgo | seguro protegido | proteger resguardar | seguridad protección | daño perjuicio |
dañar perjudicar | accidente siniestro | incendio fuego | catástrofe desastre | reparar arreglar | reparación arreglo |
resolver solucionar | solución resolución | mantenimiento conservación | mantener conservar | sustituir reemplazar |
reemplazar cambiar | sustitución reemplazo | instalar montar | instalar colocar | quitar retirar | eliminar suprimir |
borrar eliminar | añadir agregar | incorporar añadir | ampliar extender | cambiar modificar | modificar alterar |
cambio modificación | mejorar perfeccionar | mejora perfeccionamiento | actualizar renovar | aumentar incrementar |
aumento incremento | subir aumentar | crecer aumentar | subida aumento | crecimiento aumento | reducir disminuir |
bajar disminuir | reducción disminución | descenso disminución | limitar restringir | límite tope | fabricar producir |
producir elaborar | fabricante productor | producto artículo | mercancía producto | fabricación producción | construir edificar |
construcción edificación | fundar crear | fundar establecer | fundación creación | crear establecer | crear generar |
desarrollar elaborar | diseño proyecto | plan proyecto | planificar planear | objetivo meta | objetivo fin | propósito objetivo |
finalidad propósito | intención propósito | causa motivo | razón motivo | causar provocar | causar ocasionar |
consecuencia resultado | resultado efecto | impacto efecto | influir afectar | influencia influjo | método procedimiento |
procedimiento proceso | modo manera | forma manera | tipo clase | clase categoría | grupo equipo | parte porción |
componente elemento | pieza componente | sección parte | aparato dispositivo | dispositivo equipo | máquina aparato |
herramienta utensilio | ordenador computadora | ordenador computador | móvil celular | teléfono celular | mensaje comunicación |
correo email | carta misiva | contraseña clave | usuario cliente | usar utilizar | emplear utilizar | usar emplear |
uso utilización | uso empleo | archivo fichero | fichero documento | carpeta directorio | ajuste configuración |
guardar almacenar | almacenar conservar | almacén depósito | enviar mandar | remitir enviar | envío remesa | recibir obtener |
conseguir obtener | lograr conseguir | alcanzar lograr | entregar dar | entrega reparto | recoger retirar | llevar transportar |
tomar coger | informar comunicar | notificar comunicar | avisar notificar | anunciar comunicar | anuncio aviso |
explicar aclarar | describir detallar | relatar contar | decir afirmar | declarar afirmar | mencionar citar | llamar denominar |
nombrar designar | nombre denominación | preguntar consultar | pregunta cuestión | responder contestar | respuesta contestación |
pedir solicitar | solicitud petición | exigir requerir | requisito exigencia | permitir autorizar | permiso autorización |
prohibir vetar | prohibición veto | rechazar denegar | rechazo negativa | negar rehusar | aceptar admitir | aprobar autorizar |
aprobación autorización | obligación deber | obligatorio preceptivo | voluntario opcional | norma regla | regla reglamento |
directriz pauta | instrucción indicación | manual guía | ley norma | responsable encargado | responsabilidad cargo |
dirigir liderar | dirigir encabezar | líder dirigente | dirección gestión | gestionar administrar | gestión administración |
controlar supervisar | verificar comprobar | comprobar revisar | revisión inspección | vigilar observar | elegir escoger |
seleccionar elegir | elección selección | decidir resolver | decisión resolución | determinar fijar | establecer fijar |
ayudar asistir | ayuda asistencia | apoyar respaldar | apoyo respaldo | recomendar aconsejar | sugerir proponer |
propuesta sugerencia | recomendación consejo | contener incluir | incluir abarcar | comprender abarcar | existir haber |
excluir descartar | pertenecer corresponder | unir conectar | conexión unión | separar dividir | abrir inaugurar |
cerrar clausurar | entrar ingresar | salir marcharse | llegar arribar | viaje trayecto | viajar desplazarse |
coche automóvil | coche auto | vehículo automóvil | camión furgón | avión aeronave | tren ferrocarril | bicicleta bici |
vivir residir | habitar residir | morir fallecer | muerte fallecimiento | matar asesinar | guerra conflicto | batalla combate |
lucha combate | ataque ofensiva | atacar agredir | victoria triunfo | vencer derrotar | ganar triunfar | conquistar tomar |
soldado militar | ejército tropas | rey monarca | gobierno ejecutivo | gobernar regir | político estadista |
votación elecciones | autor escritor | escribir redactar | libro obra | periódico diario | película filme | canción tema |
cuadro pintura | imagen figura | famoso célebre | conocido célebre | rico adinerado | pobre necesitado | beneficio ganancia |
ingresos ganancias | pérdida merma | dinero capital | préstamo crédito | deuda débito | fuerte potente | poder autoridad |
poderoso potente | antiguo viejo | nuevo reciente | moderno contemporáneo | suceso acontecimiento | evento acontecimiento |
ocurrir suceder | ocurrir acontecer | época era | periodo etapa | etapa fase | bello hermoso | sin-embargo no-obstante |
abrir ! cerrar | abierto ! cerrado | comenzar ! terminar | empezar ! acabar | inicio ! fin | comprar ! vender |
comprador ! vendedor | permitir ! prohibir | permitido ! prohibido | subir ! bajar | aumentar ! disminuir |
aumento ! disminución | ganancia ! pérdida | ganar ! perder | ingresos ! gastos | importar ! exportar |
importación ! exportación | grande ! pequeño | largo ! corto | alto ! bajo | rápido ! lento | viejo ! nuevo |
viejo ! joven | caliente ! frío | temprano ! tarde | interno ! externo | interior ! exterior | público ! privado |
activo ! inactivo | activar ! desactivar | correcto ! incorrecto | verdadero ! falso | aceptar ! rechazar |
encender ! apagar | dentro ! fuera | arriba ! abajo | izquierdo ! derecho | izquierda ! derecha | norte ! sur | este ! oeste |
antes ! después | máximo ! mínimo | siempre ! nunca | voluntario ! obligatorio | opcional ! obligatorio |
llegada ! salida | fuerte ! débil | seguro ! peligroso | barato ! caro | lleno ! vacío | entrada ! salida |
guerra ! paz | victoria ! derrota | día ! noche | verano ! invierno | primero ! último | mayor ! menor | mejor ! peor |
oferta ! demanda | acreedor ! deudor | incluir ! excluir | entrar ! salir | fácil ! difícil | rico ! pobre`

/** Forms of irregular verbs, the infinitive first. */
const irregular = `
tener tiene tienen tuvo tuvieron tenía | mantener mantiene mantienen mantuvo mantuvieron | obtener obtiene obtienen obtuvo obtuvieron |
contener contiene contienen contuvo | detener detiene detuvo detuvieron | decir dice dicen dijo dijeron dicho |
hacer hace hizo hicieron hecho | producir produjo produjeron produce | reducir redujo redujeron reduce |
poner puso pusieron puesto | proponer propuso propusieron propuesto | morir murió murieron muere muerto |
seguir sigue siguen siguió siguieron | conseguir consigue consiguen consiguió consiguieron | pedir pide piden pidió pidieron |
abrir abierto | escribir escrito | describir descrito | resolver resuelto | devolver devuelto | dar dio dieron da |
incluir incluye incluyen incluyó | excluir excluye excluyó | construir construye construyó construyeron |
sustituir sustituye sustituyó | disminuir disminuye disminuyó | influir influye influyó | haber hay hubo |
salir salgo saldrá | saber supo supieron | requerir requiere requirió | sugerir sugiere sugirió | adquirir adquiere adquirió |
perder pierde pierden | elegir elige eligió eligieron | regir rige rigen`

const endings =
  `s es o a os as e en ar er ir an ado ada ados adas ido ida idos idas ando iendo o io aron ieron aba aban ia ian
  ara aran era eran ira iran aremos are eremos eran amos emos imos arse erse irse`.split(/\s+/u)

/** A vowel that changes under stress ("comienza", "encuentra"), and letters that keep a sound before "e". */
const changes: ReadonlyArray<readonly [RegExp, string]> = [
  [/ie(?=[^aeiou]+$)/u, "e"],
  [/ue(?=[^aeiou]+$)/u, "o"],
  [/c$/u, "z"],
  [/qu$/u, "c"],
  [/gu$/u, "g"],
  [/zc$/u, "c"]
]

const rootLettersMin = 2

/** A word without the ending of infinitives, gender and plural, in ASCII letters. */
export const spanishKey = (word: string): string => {
  const folded = foldRun(word)
  const root = folded.replace(/(?:[aei]r|[aeo]s?)$/u, "")
  return root.length < rootLettersMin ? folded : root
}

const bases = new Map(
  irregular
    .trim()
    .split(/\s*\|\s*/u)
    .flatMap((verb) => {
      const [infinitive = "", ...forms] = verb.split(/\s+/u)
      return forms.map((form) => [foldRun(form), spanishKey(infinitive)] as const)
    })
)

let read: ListedRelations | undefined

/** Relations of listed Spanish words by their roots, read on first use. */
export const spanishRelations = (): ListedRelations => {
  read ??= listedRelations(pairs, spanishKey)
  return read
}

/** Returns the roots that a Spanish word may have; most are none. */
export const spanishRoots = (word: string): ReadonlySet<string> => {
  const folded = foldRun(word)
  const roots = new Set([folded])
  const base = bases.get(folded)
  if (base !== undefined) roots.add(base)
  for (const ending of endings) {
    const root = folded.slice(0, folded.length - ending.length)
    if (folded.endsWith(ending) && root.length >= rootLettersMin) roots.add(root)
  }
  for (const root of [...roots])
    for (const [from, to] of changes) if (from.test(root)) roots.add(root.replace(from, to))
  return roots
}
